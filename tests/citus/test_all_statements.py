"""Every named statement runs on a distributed database, and most are answered by one node."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from support.citus_database import Distributed
from support.citus_statements import STATEMENTS, connections, run_statement

#: Statements with more than one task, with the reason.
SEVERAL_TASKS: dict[str, str] = {
    "everword.facts.open_disputes": "tasks (), subplans 1",
    "everword.graph.claim_names": "tasks (), subplans 1",
    "everword.jobs.count_published": "tasks (8,), subplans 0",
    "everword.jobs.find_done": "tasks (8, 1), subplans 1",
    "everword.jobs.find_expired": "tasks (8, 1), subplans 1",
    "everword.jobs.find_lost": "tasks (8, 1), subplans 1",
    "everword.jobs.find_startable": "tasks (8,), subplans 0",
    "everword.jobs.find_unpublished": "tasks (8, 1, 1), subplans 2",
    "everword.jobs.next_turn": "tasks (8, 8, 1), subplans 2",
    "everword.people.insert_learned_evidence": "tasks (1,), subplans 2",
    "everword.quotas.fold_usage": "tasks (1, 1), subplans 3",
    "everword_compactor.tool_sentences.enqueue_sentences": "tasks (1, 1), subplans 2",
    "everword_compactor.topics.link_sources": "tasks (), subplans 1",
    "everword_compactor.jobs.vectors_are_due": "a job waits for the vectors of all namespaces",
    "everword_embedder.count_pending": "an operator asks for the backlog of all namespaces",
    "everword_embedder.queue.count_backlog": "a metric of all namespaces",
    "everword_ingest.admin.revoke_api_key": "tasks (1,), subplans 1",
    "everword_ingest.conversations.insert_conversation": "tasks (1, 1), subplans 3",
    "everword_ingest.costs.insert_loaded_prices": "tasks (), subplans 1",
    "everword_ingest.housekeeping.find_crowded": "tasks (8,), subplans 0",
    "everword_ingest.housekeeping.fold_corpus_counts": "tasks (1, 1, 1), subplans 4",
    "everword_ingest.messages.enqueue_sentences": "tasks (), subplans 1",
    "everword_ingest.retention.page_document_versions": "tasks (8,), subplans 0",
    "everword_ingest.retention.page_note_versions": "tasks (8,), subplans 0",
    "everword_ingest.transfer.insert_target": "tasks (), subplans 1",
}
#: Statements that Citus refuses.
REFUSED: frozenset[str] = frozenset(
    {
        "everword.costs.find_spent_budget",
        "everword.costs.insert_usage",
        "everword.facts.follow_facts",
        "everword.facts.insert_changes",
        "everword.facts.insert_evidence",
        "everword.graph.insert_edges",
        "everword.graph.move_edges",
        "everword.graph.note_changes",
        "everword.jobs.other_namespaces_wait",
        "everword.people.copy_fact_evidence",
        "everword.people.copy_learned_evidence",
        "everword_compactor.calendar.enqueue_lost_periods",
        "everword_compactor.calendar.outdated_periods",
        "everword_compactor.calendar.pending_periods",
        "everword_compactor.conversations.outdated_conversations",
        "everword_compactor.conversations.request_leaves",
        "everword_compactor.learning.insert_corrections",
        "everword_compactor.maintenance.prune_usage",
        "everword_compactor.sleep.insert_edge",
        "everword_compactor.sleep.nightless_namespaces",
        "everword_compactor.sleep.request_sleep",
        "everword_compactor.tool_sentences.upsert_sentences",
        "everword_compactor.topics.changed_topics",
        "everword_compactor.topics.move_sources",
        "everword_compactor.topics.note_nodes",
        "everword_compactor.topics.unlink_sources",
        "everword_ingest.admin.rotate_api_key",
        "everword_ingest.conversations.end_earlier_sessions",
        "everword_ingest.conversations.end_session",
        "everword_ingest.erasure.begin_erasure",
        "everword_ingest.erasure.forget_author_names",
        "everword_ingest.erasure.preview_erasure",
        "everword_ingest.erasure.retire",
        "everword_ingest.housekeeping.list_unmeasured",
        "everword_ingest.housekeeping.measure_stored",
        "everword_ingest.memories.update_memory_class",
        "everword_ingest.namespaces.update_namespace",
        "everword_ingest.retention.count_retained",
        "everword_ingest.retention.idle_retention",
        "everword_ingest.retention.page_history",
        "everword_ingest.retention.sample_retained",
        "everword_ingest.transfer.newer_erasure",
        "everword_search.people.count_offers",
        "everword_search.watch.number_changes",
    }
)


@pytest.fixture(scope="module")
def opened(distributed: Distributed) -> Iterator[dict[str, psycopg.Connection]]:
    with connections(distributed.filled) as opened:
        yield opened


@pytest.mark.parametrize("name", [name for name in STATEMENTS if name not in REFUSED])
def test_statement_runs_on_one_node_with_the_same_rows(
    distributed: Distributed, opened: dict[str, psycopg.Connection], name: str
) -> None:
    ran = run_statement(opened, distributed.filled, name)
    if name in SEVERAL_TASKS:
        assert not ran.is_single, "take it off the list"
    else:
        assert ran.is_single, f"tasks {ran.tasks}, subplans {ran.subplans}"
        # Other tests add namespaces and models.
        if "%(namespace_id)s" in STATEMENTS[name]:
            assert ran.rows == distributed.statement_rows[name]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused_statement_is_refused(
    distributed: Distributed, opened: dict[str, psycopg.Connection], name: str
) -> None:
    with pytest.raises(psycopg.Error):
        run_statement(opened, distributed.filled, name)

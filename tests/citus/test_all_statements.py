"""Every named statement runs on a distributed database, and most are answered by one node."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from support.citus_database import Distributed
from support.citus_statements import STATEMENTS, connections, run_statement

#: Statements with more than one task, with the reason.
SEVERAL_TASKS: dict[str, str] = {
    "everword.jobs.count_published": "tasks (8,), subplans 0",
    "everword.jobs.find_done": "tasks (8, 1), subplans 1",
    "everword.jobs.find_expired": "tasks (8, 1), subplans 1",
    "everword.jobs.find_lost": "tasks (8, 1), subplans 1",
    "everword.jobs.find_startable": "tasks (8,), subplans 0",
    "everword.jobs.find_unpublished": "tasks (8, 1, 1), subplans 2",
    "everword.jobs.next_turn": "tasks (8, 8, 1), subplans 2",
    "everword_compactor.tool_sentences.enqueue_sentences": "tasks (1, 1), subplans 2",
    "everword_ingest.costs.insert_loaded_prices": "an operator's: prices are copied to each node",
    "everword_ingest.housekeeping.find_crowded": "a sweep: counts rows on every node",
    "everword_ingest.housekeeping.fold_corpus_counts": "housekeeping of a namespace: its statement deletes and inserts",
    "everword_ingest.housekeeping.list_unmeasured": "a sweep: reads times of measurements on every node",
    "everword_ingest.messages.enqueue_sentences": "tasks (), subplans 1",
    "everword_ingest.transfer.insert_target": "tasks (), subplans 1",
}
#: Statements that Citus refuses.
REFUSED: frozenset[str] = frozenset(
    {
        "everword.index.count_missing_vectors",
        "everword.index.enqueue_missing_vectors",
        "everword.jobs.other_namespaces_wait",
        "everword_compactor.calendar.enqueue_lost_periods",
        "everword_compactor.calendar.outdated_periods",
        "everword_compactor.calendar.pending_periods",
        "everword_compactor.conversations.outdated_conversations",
        "everword_compactor.conversations.request_leaves",
        "everword_compactor.jobs.vectors_are_due",
        "everword_compactor.maintenance.prune_usage",
        "everword_compactor.sleep.insert_edge",
        "everword_compactor.sleep.nightless_namespaces",
        "everword_compactor.sleep.request_sleep",
        "everword_compactor.tool_sentences.upsert_sentences",
        "everword_compactor.topics.changed_topics",
        "everword_embedder.count_pending",
        "everword_embedder.queue.find_pending",
        "everword_embedder.queue.forgotten_namespaces",
        "everword_embedder.queue.measure_backlog",
        "everword_embedder.queue.store_halfvecs",
        "everword_ingest.conversations.end_earlier_sessions",
        "everword_ingest.conversations.end_session",
        "everword_ingest.erasure.begin_erasure",
        "everword_ingest.erasure.forget_author_names",
        "everword_ingest.erasure.preview_erasure",
        "everword_ingest.erasure.retire",
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

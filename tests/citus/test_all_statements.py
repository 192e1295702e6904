"""Every named statement runs on a distributed database, and most are answered by one node."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from support.citus_cluster import temporary_cluster
from support.citus_database import Distributed, distribute_filled
from support.citus_statements import STATEMENTS, connections, run_statement

#: Statements with more than one task, with the reason.
SEVERAL_TASKS: dict[str, str] = {
    "everword.jobs.count_published": "a sweep for lost wake-ups",
    "everword.jobs.find_done": "a sweep for jobs to delete",
    "everword.jobs.find_expired": "a sweep for jobs of dead workers",
    "everword.jobs.find_lost": "a sweep for lost wake-ups",
    "everword.jobs.find_startable": "a worker looks for a job in any namespace",
    "everword.jobs.find_unpublished": "a publisher sends wake-ups of any namespace",
    "everword.jobs.other_namespaces_wait": "a worker asks whether jobs of any other namespace wait",
    "everword_compactor.jobs.vectors_are_due": "a job waits for the vectors of all namespaces",
    "everword_embedder.count_pending": "an operator asks for the backlog of all namespaces",
    "everword_embedder.queue.count_backlog": "a metric of all namespaces",
    "everword_ingest.costs.insert_loaded_prices": "an operator's: prices are copied to each node",
    "everword_ingest.housekeeping.find_crowded": "a sweep: counts rows on every node",
    "everword_ingest.housekeeping.fold_corpus_counts": "housekeeping of a namespace: its statement deletes and inserts",
    "everword_ingest.housekeeping.list_unmeasured": "a sweep: reads times of measurements on every node",
    "everword_ingest.transfer.insert_target": "an operator's: a new namespace is copied to each node",
}


@pytest.fixture(scope="module")
def distributed() -> Iterator[Distributed]:
    """A database of this module's own: statements are compared by their rows, which other tests would change."""
    with temporary_cluster() as cluster:
        yield distribute_filled(cluster)


@pytest.fixture(scope="module")
def opened(distributed: Distributed) -> Iterator[dict[str, psycopg.Connection]]:
    with connections(distributed.filled) as opened:
        yield opened


@pytest.mark.parametrize("name", STATEMENTS)
def test_statement_runs_on_one_node_with_the_same_rows(
    distributed: Distributed, opened: dict[str, psycopg.Connection], name: str
) -> None:
    ran = run_statement(opened, distributed.filled, name)
    if name in SEVERAL_TASKS:
        assert not ran.is_single, "take it off the list"
    else:
        assert ran.is_single, f"tasks {ran.tasks}, subplans {ran.subplans}"
        assert ran.rows == distributed.statement_rows[name]

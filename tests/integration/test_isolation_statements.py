"""Every named statement stays in its namespace: by its text, and by the database if the text lacks the predicate."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.numeric import Int8

from support.callers import make_namespaces
from support.databases import DatabaseUnderTest, cloned
from support.filled_database import fill_database
from support.isolation import (
    ISOLATED,
    NOT_ISOLATED,
    PREDICATE,
    VIEWS,
    all_statements,
    role_of,
    tables_of,
    without_predicate,
    writes_isolated_rows,
)
from support.stack import running_stack
from support.statement_parameters import (
    Filled,
    common_parameters,
    parameters_of,
)

STATEMENTS = {f"{package}.{entry.name}": entry for package, entry in all_statements()}
BEHIND = {name: entry for name, entry in STATEMENTS.items() if tables_of(entry) & ISOLATED}
INSERTS = [name for name, entry in BEHIND.items() if writes_isolated_rows(entry)]
OTHERS = [name for name in BEHIND if name not in INSERTS]

#: Statements over all namespaces, with the reason. None of them reads content.
CROSSING = {
    "everword_ingest.housekeeping.list_unmeasured": "housekeeping looks for namespaces that are to be measured",
    "everword_ingest.housekeeping.find_crowded": "housekeeping looks for namespaces with many rows of counters",
    "everword_ingest.admin.list_api_keys": "an operator's, whose keys are all of them",
    "everword_ingest.admin.get_api_keys": "an operator's, by the keys' ids",
    "everword_ingest.admin.revoke_api_key": "an operator's, by the key's id",
    "everword_ingest.admin.rotate_api_key": "an operator's, by the key's id",
    "everword_embedder.count_pending": "a model generation's backlog is that of all namespaces",
    "everword_embedder.queue.find_pending": "workers take turns of all namespaces",
    "everword_compactor.jobs.vectors_are_due": "a job waits for the vectors of all namespaces",
    "everword_embedder.queue.count_backlog": "the queue's length is that of all namespaces",
    "everword_embedder.queue.forgotten_namespaces": "work that nobody scheduled is looked for in all namespaces",
}
#: Packages that work across namespaces: workers claim ids in all of them.
CROSSING_PACKAGES = ("everword.jobs.",)

#: Statements that derive rows from memories; without visible memories they write nothing.
DERIVING = {
    *("everword_embedder.queue.store_halfvecs", "everword_embedder.queue.store_arrays"),
    "everword_ingest.messages.insert_messages",
    *(
        "everword_compactor.conversations.advance_progress",
        "everword_compactor.learning.advance_learned",
        "everword_compactor.learning.insert_corrections",
        "everword_compactor.conversations.request_leaves",
        "everword_compactor.calendar.enqueue_lost_periods",
        "everword.facts.insert_changes",
        "everword_search.people.count_offers",
        "everword_compactor.sleep.advance_sleep_progress",
        "everword_compactor.sleep.request_sleep",
        "everword_compactor.sleep.insert_edge",
        "everword_ingest.conversations.end_sessions",
        "everword_ingest.housekeeping.measure_stored",
        "everword_ingest.costs.count_past",
        "everword.facts.copy_edges",
    ),
}
#: Statements that read counters besides content; without their predicate they would reveal other namespaces' sizes.
COUNTING = {
    "everword_search.stats.corpus_counts",
    "everword_ingest.housekeeping.measure_stored",
    "everword_search.passages.describe_namespace",
    "everword_search.cache.read_passages",
}

# By text


def test_statements_are_collected() -> None:
    assert len(STATEMENTS) > 40
    assert len(INSERTS) >= 7
    assert len(OTHERS) >= 20


@pytest.mark.parametrize("name", [name for name in STATEMENTS if tables_of(STATEMENTS[name])])
def test_statement_filters_by_namespace_or_is_listed_as_crossing(name: str) -> None:
    statement = STATEMENTS[name]
    if name in CROSSING or name.startswith(CROSSING_PACKAGES):
        assert tables_of(statement) <= NOT_ISOLATED
    elif "INSERT INTO" in statement.sql:
        assert "%(namespace_id)s" in statement.sql
    else:
        assert PREDICATE.search(statement.sql)


def test_listed_cross_namespace_statements_exist() -> None:
    assert set(CROSSING) <= set(STATEMENTS)


# By the database


@pytest.fixture(scope="module")
def worlds(postgres_url: str) -> Iterator[dict[str, Filled]]:
    """A filled database for each way of storing vectors."""
    with ExitStack() as resources:
        yield {
            storage: resources.enter_context(_filled(postgres_url, storage))
            for storage in ("halfvec", "array")
        }
        while _connections:
            _connections.popitem()[1].close()


@pytest.fixture
def filled(worlds: dict[str, Filled], name: str) -> Filled:
    """The database for which a statement is written."""
    return worlds["array" if name.endswith("_arrays") else "halfvec"]


@contextmanager
def _filled(postgres_url: str, storage: str) -> Iterator[Filled]:
    with cloned(postgres_url) as empty, cloned(postgres_url) as database:
        for each in (empty, database):
            if storage == "array":
                _take_pgvector_away(each)
        asyncio.run(_make_namespaces(empty))
        yield fill_database(database, empty=empty, storage=storage)


def _take_pgvector_away(database: DatabaseUnderTest) -> None:
    """Change the database into one of a server without pgvector."""
    with database.connect() as conn:
        conn.execute("DROP VIEW visible_vectors_1")
        conn.execute("DROP TABLE memory_vectors_1")
        conn.execute("DROP EXTENSION vector")
        conn.execute("SELECT create_vector_table(1)")


async def _make_namespaces(database: DatabaseUnderTest) -> None:
    async with running_stack(database, embedder=False) as stack:
        await make_namespaces(stack, "ours", "theirs")


#: By database and role. A new connection for each statement would take most of the time.
_connections: dict[tuple[str, str], psycopg.Connection] = {}


def _connected(database: DatabaseUnderTest, role: str) -> psycopg.Connection:
    """Return a connection with a service's role, which later calls share."""
    key = database.service_url, role
    if key not in _connections:
        options = f"-c role={role} -c search_path=everword,public"
        _connections[key] = psycopg.connect(database.service_url, options=options)
    return _connections[key]


@contextmanager
def _bound(database: DatabaseUnderTest, role: str, namespace_id: int) -> Iterator[psycopg.Cursor]:
    """Yield a transaction with a service's role, bound to a namespace, and roll it back."""
    conn = _connected(database, role)
    with conn.transaction(force_rollback=True), conn.cursor() as cursor:
        cursor.execute("SELECT set_config('everword.namespace_id', %s, true)", [str(namespace_id)])
        yield cursor


def _run(cursor: psycopg.Cursor, query: bytes, parameters: dict[str, Any]) -> tuple[int, list[Any]]:
    """Return a statement's row count and its rows."""
    cursor.execute(query, parameters)
    rows: list[Any] = cursor.fetchall() if cursor.description else []
    return cursor.rowcount, rows


def _values(found: object) -> Iterator[object]:
    if isinstance(found, list | tuple):
        for entry in found:
            yield from _values(entry)
    elif isinstance(found, dict):
        yield from _values(list(found.values()))
    else:
        yield found


@pytest.fixture(scope="module")
def marks(worlds: dict[str, Filled]) -> dict[str, set[object]]:
    """The values that identify rows of `theirs`, by the URL of the database."""
    return {filled.database.admin_url: _marks(filled) for filled in worlds.values()}


def _marks(filled: Filled) -> set[object]:
    """Return values that identify rows of `theirs` in a result: ids, texts and times."""
    marks: set[object] = set()
    with filled.database.connect() as conn:
        for table in ISOLATED - VIEWS:
            query = f"SELECT * FROM {table} WHERE namespace_id = {filled.theirs}"
            marks.update(_values(conn.execute(query.encode()).fetchall()))
    telling: set[object] = {
        mark
        for mark in marks
        if isinstance(mark, UUID | datetime) or (isinstance(mark, str) and len(mark) > 8)
    }
    assert len(telling) > 5
    return telling


@pytest.mark.parametrize("name", OTHERS)
def test_statement_without_namespace_predicate_returns_no_foreign_rows(
    filled: Filled, marks: dict[str, set[object]], name: str
) -> None:
    query = without_predicate(BEHIND[name])
    parameters = parameters_of(name, filled)
    with _bound(filled.database, role_of(name), filled.ours) as cursor:
        found = _run(cursor, query, parameters)
    assert not marks[filled.database.admin_url].intersection(_values(found))
    if name not in COUNTING:
        with _bound(filled.empty, role_of(name), filled.ours) as cursor:
            assert found == _run(cursor, query, parameters)


@pytest.mark.parametrize("name", OTHERS)
def test_statement_returns_rows_of_its_own_namespace(filled: Filled, name: str) -> None:
    """The test above would also pass with parameters that match nothing."""
    parameters = parameters_of(name, filled)
    with _bound(filled.database, role_of(name), filled.theirs) as cursor:
        found = _run(cursor, BEHIND[name].sql.encode(), parameters)
    with _bound(filled.empty, role_of(name), filled.ours) as cursor:
        nothing = _run(cursor, BEHIND[name].sql.encode(), parameters)
    assert found != nothing


@pytest.mark.parametrize("name", INSERTS)
def test_statement_cannot_write_into_another_namespace(filled: Filled, name: str) -> None:
    parameters = parameters_of(name, filled)
    query = BEHIND[name].sql.encode()
    with _bound(filled.database, role_of(name), filled.theirs) as cursor:
        cursor.execute(query, parameters)
    with _bound(filled.database, role_of(name), filled.ours) as cursor:
        if name in DERIVING:
            cursor.execute(query, parameters)
            assert cursor.rowcount == 0
        else:
            with pytest.raises(
                (psycopg.errors.InsufficientPrivilege, psycopg.errors.WithCheckOptionViolation)
            ):
                cursor.execute(query, parameters)


@pytest.mark.parametrize("name", ["everword_ingest.request_ids.claim_request"])
def test_request_id_used_by_another_namespace_is_free(filled: Filled, name: str) -> None:
    """Request ids belong to the caller, and reveal nothing about other namespaces."""
    parameters = {**common_parameters(filled), "namespace_id": Int8(filled.ours)}
    with _bound(filled.database, role_of(name), filled.ours) as cursor:
        found = _run(cursor, BEHIND[name].sql.encode(), parameters)
    assert found == (1, [("their-request",)])

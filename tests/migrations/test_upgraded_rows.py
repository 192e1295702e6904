"""No row of any table is lost or changed by an upgrade, and what services of the earlier release write is taken."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
import pytest_asyncio

from everword.db.migrate import migrate
from everword.integrity import rebuild
from everword.integrity.verify import list_namespaces, verify_everything
from support.databases import DatabaseUnderTest, cloned, empty_database
from support.earlier_rows import ADDING, KEPT, Tables, digest_rows, put_rows, read_tables, today
from support.stack import running_stack
from support.transferred import fill_everything
from support.unsound import complete

#: What no service wrote that was stopped here, and what only an operator makes.
MORE = """
WITH made AS (
    DELETE FROM embedding_queue WHERE memory_id = (SELECT min(memory_id) FROM embedding_queue)
    RETURNING namespace_id, memory_id)
INSERT INTO memory_vectors_1 SELECT namespace_id, memory_id, array_fill(0.1, ARRAY[384])::public.halfvec FROM made;
INSERT INTO embedding_pauses SELECT 1, id, now() FROM model_generations;
INSERT INTO namespace_usage (namespace_id, minute) VALUES (1, now());
INSERT INTO api_keys (id, namespace_id, key_hash, role) VALUES (gen_random_uuid(), 1, 'hash', 1);
INSERT INTO namespace_imports (namespace_id, lines, digest, finished_at) VALUES (1, 2, 'two lines', now());
INSERT INTO calibrations (profile, evidence, relevance, floor, provenance)
VALUES ('LEXICAL', '{1}', '{0.5}', 0.1, '{}');
"""
#: What was removed when nobody used it any more, as functions of 0043 alone did.
REMOVED = {("erasures", "after_id")}
#: What a migration is to change.
CHANGED = {("embedding_queue", "state"), ("tool_sentence_queue", "state")}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def filled(postgres_url: str) -> AsyncIterator[DatabaseUnderTest]:
    """A sound database that has rows in every table."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await fill_everything(stack)
        with database.connect() as conn:
            complete(conn)
            with rebuild.connect(database.admin_url) as rebuilding:
                for each in list_namespaces(conn):
                    rebuild.Rebuilder(rebuilding, each).rebuild()
            conn.execute(MORE)
        yield database


def _connect(url: str) -> psycopg.Connection:
    """Connect as one whom neither keys nor triggers stop."""
    options = "-c search_path=everword,public -c session_replication_role=replica"
    return psycopg.connect(url, autocommit=True, options=options)


@pytest.mark.parametrize("schema", [9, 21, 23, 30, 34, 37, 41, 45, 56])
def test_no_row_is_lost_or_changed(
    filled: DatabaseUnderTest, postgres_url: str, schema: int
) -> None:
    with empty_database(postgres_url) as url:
        migrate(url, to=schema)
        with _connect(filled.admin_url) as source, _connect(url) as target:
            then = read_tables(target)
            put_rows(source, target, then)
            now = read_tables(source)
            assert _removed(then, now) <= REMOVED
            kept = _kept(then, now)
            before = digest_rows(target, kept)
            assert [name for name, (rows, _) in before.items() if not rows] == []
            migrate(url)
            renamed = {today(table): list(map(today, kept[table])) for table in kept}
            assert digest_rows(target, renamed) == before
            assert verify_everything(url) == []
            if schema >= ADDING:
                # What services of then write is still taken.
                with target.transaction(force_rollback=True):
                    put_rows(source, target, then)


def _removed(then: Tables, now: Tables) -> set[tuple[str, str]]:
    return {
        (table, name)
        for table in then
        for name in then[table]
        if today(name) not in now[today(table)]
    }


def _kept(then: Tables, now: Tables) -> Tables:
    """Return the columns of an earlier schema that are there now, and are to stay as they are."""
    others = _removed(then, now) | CHANGED
    return {
        table: [name for name in then[table] if (table, name) not in others]
        for table in then
        if table not in KEPT - {"deployment"}
    }

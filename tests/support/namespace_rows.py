"""A namespace with a row in every table, and the number of its rows by table."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import psycopg

from everword.v1 import ingest_service_pb2, memory_pb2
from support.callers import make_namespaces, within
from support.calls import append_request, message
from support.databases import DatabaseUnderTest
from support.every_row import insert_every_row
from support.foreign_namespaces import class_request
from support.stack import Stack, running_stack
from support.tool_calls import tool_call

TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'
 WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
 ORDER BY 1
"""
#: Rows that `insert_every_row` does not create.
_OTHERS = """
INSERT INTO memory_vectors_1
SELECT namespace_id, id, array_fill(0.05::real, ARRAY[384])::halfvec FROM memories WHERE namespace_id = {id} LIMIT 1;
INSERT INTO embedding_pauses SELECT {id}, id, now() FROM model_generations;
INSERT INTO namespace_usage (namespace_id, minute) VALUES ({id}, now());
INSERT INTO memory_use (namespace_id, memory_id, last_used_at) VALUES ({id}, gen_random_uuid(), now());
INSERT INTO importance_suggestions (namespace_id, memory_id, importance_class, model, prompt_version)
VALUES ({id}, gen_random_uuid(), 2, 'm', '1');
INSERT INTO tool_sentences (namespace_id, message_id, content, model, prompt_version)
SELECT {id}, id, 'It was played.', 'm', 1 FROM messages WHERE namespace_id = {id} LIMIT 1;
INSERT INTO index_changes (namespace_id) VALUES ({id});
INSERT INTO namespace_locks (namespace_id, name) VALUES ({id}, 'budgets');
INSERT INTO erased_external_ids (namespace_id, hash) VALUES ({id}, 'hash');
INSERT INTO api_keys (id, namespace_id, key_hash, role) VALUES (gen_random_uuid(), {id}, 'hash of {id}', 1);
INSERT INTO tool_sentence_queue (namespace_id, message_id) VALUES ({id}, gen_random_uuid());
UPDATE advisor_grants SET secret_hash = 'secret of {id}' WHERE namespace_id = {id};
"""


def id_of(database: DatabaseUnderTest, name: str) -> int:
    with database.connect() as conn:
        row = conn.execute("SELECT id FROM namespaces WHERE name = %s", [name]).fetchone()
    assert row
    return int(row[0])


def rows_of(database: DatabaseUnderTest, namespace_id: int) -> dict[str, int]:
    """Count the rows of a namespace in each table with namespaces; by id, since the namespace may be deleted."""
    with database.connect() as conn:
        return {
            table: _count(conn, table, namespace_id)
            for (table,) in conn.execute(TABLES.encode()).fetchall()
            if table != "tenants"
        }


def _count(conn: psycopg.Connection, table: str, namespace_id: int) -> int:
    query = f"SELECT count(*) FROM {table} WHERE namespace_id = %s"
    [(count,)] = conn.execute(query.encode(), [namespace_id]).fetchall()
    return int(count)


async def fill_every_table(database: DatabaseUnderTest, names: Sequence[str], words: str) -> None:
    """Create namespaces with at least one row in each namespaced table, without running background work."""
    said = {}
    async with running_stack(database, embedder=False) as stack:
        await make_namespaces(stack, *names)
        for name in names:
            said[name] = await _append(stack, name, words)
    with database.connect() as conn, conn.transaction():
        for name, stored in said.items():
            namespace_id = id_of(database, name)
            ids = [UUID(each.message_id) for each in stored.messages]
            insert_every_row(conn, namespace_id, UUID(stored.conversation_id), ids, words)
            conn.execute(_OTHERS.replace("{id}", str(namespace_id)).encode())


async def _append(stack: Stack, name: str, words: str) -> ingest_service_pb2.AppendMessagesResponse:
    said = append_request(
        *(message(words, author="Zoë"), message(words), tool_call()), request_id="fills"
    )
    stored = await stack.ingest.AppendMessages(said, metadata=within(name))
    classed = class_request(stored.messages[0].message_id, memory_pb2.IMPORTANCE_CLASS_FACT)
    await stack.ingest.UpdateMemory(classed, metadata=within(name))
    return stored

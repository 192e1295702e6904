"""A namespace with a row of every kind, and one without rows."""

from __future__ import annotations

import asyncio
from uuid import UUID

from everword.v1 import ingest_service_pb2
from everword.v1 import memory_pb2 as memory
from support.address_rows import TASK
from support.callers import make_namespaces, within
from support.calls import append_request, message
from support.databases import DatabaseUnderTest
from support.every_row import insert_every_row
from support.foreign_namespaces import class_request
from support.stack import running_stack
from support.statement_parameters import AUTHOR, WORDS, Filled


def fill_database(
    database: DatabaseUnderTest,
    *,
    empty: DatabaseUnderTest,
    agent: str = "",
    storage: str = "halfvec",
) -> Filled:
    """Create `ours` and `theirs`, and a row of every kind in `theirs`.

    `empty` is a database that has both namespaces and no rows; `agent` is that of the conversation.
    """
    conversation_id = UUID(asyncio.run(_append(database, agent)))
    with database.connect() as conn:
        conn.execute("DELETE FROM embedding_queue")  # For a backfill to find.
        conn.execute("DELETE FROM tool_sentence_queue")
        vector = "array_fill(0.05::real, ARRAY[384])" + (
            "::halfvec" if storage == "halfvec" else ""
        )
        conn.execute(
            f"INSERT INTO memory_vectors_1 SELECT namespace_id, id, {vector} "
            "FROM memories ORDER BY id LIMIT 1".encode()
        )
        conn.execute(  # One abandoned passage.
            "INSERT INTO embedding_queue (namespace_id, memory_id, generation_id, state) "
            "SELECT namespace_id, id, 1, 'failed' FROM memories ORDER BY id LIMIT 1"
        )
        ids: dict[str, int] = dict(conn.execute("SELECT name, id FROM namespaces").fetchall())
        rows = conn.execute("SELECT source_id, id FROM memories ORDER BY id").fetchall()
        message_ids = [source_id for source_id, _ in rows]
        summaries = insert_every_row(conn, ids["theirs"], conversation_id, message_ids, WORDS)
    return Filled(
        database=database,
        empty=empty,
        ours=ids["ours"],
        theirs=ids["theirs"],
        conversation_id=conversation_id,
        message_ids=message_ids,
        passage_ids=[id_ for _, id_ in rows],
        summaries=summaries,
    )


async def _append(database: DatabaseUnderTest, agent: str) -> str:
    """Create both namespaces, and append to `theirs`; return the id of the conversation."""
    async with running_stack(database, embedder=False) as stack:
        await make_namespaces(stack, "ours", "theirs")
        metadata = within("theirs")
        first = message(WORDS, external_id="external", token_count=7, author=AUTHOR)
        call = message("", tool_name="play", tool_args=WORDS)
        request = append_request(first, message(WORDS), call, request_id="their-request")
        request.conversation.key.agent = agent
        request.conversation.details.task_id = TASK
        stored = await stack.ingest.AppendMessages(request, metadata=metadata)
        ids = [entry.message_id for entry in stored.messages]
        used = ingest_service_pb2.MarkUsedRequest(memory_ids=ids)
        await stack.ingest.MarkUsed(used, metadata=metadata)
        classed = class_request(ids[0], memory.IMPORTANCE_CLASS_FACT)
        await stack.ingest.UpdateMemory(classed, metadata=metadata)
        return stored.conversation_id

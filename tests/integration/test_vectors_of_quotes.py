"""Summaries that quote indexed messages get one vector per leaf; every passage of other summaries gets one."""

from __future__ import annotations

import asyncio

from everword.integrity.rebuild import Rebuilder, connect
from everword.integrity.verify import list_namespaces, verify_everything
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1.ingest_service_pb2 import AppendMessagesRequest
from everword.v1.memory_pb2 import MEMORY_KIND_SUMMARY, MemoryFilter
from everword.v1.search_service_pb2 import SEARCH_MODE_SEMANTIC, SearchRequest
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Composer
from support.background import embed_everything
from support.calls import message, target
from support.compaction import ScriptedComposer, compact
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack

TALK = [
    f"On day {number} we repaired the boat's {part} in the harbour of Sines, and it held. "
    f"Joana brought {number + 3} new bolts for the {part} from Setúbal, which cost {number + 20} euros. "
    f"Rui wrote into the log that nobody may load the {part} before {number + 2} April, when the glue is dry. "
    f"The insurance wants photographs of the {part} from both sides, and a bill with the name of the yard."
    for number, part in enumerate(
        ["mast", "rudder", "keel", "sail", "anchor", "engine", "pump", "radio", "hull", "deck"]
    )
]


async def summarize(stack: Stack, composer: Composer, channel: str = "") -> None:
    """Store ten messages with vectors, and a leaf over them."""
    request = AppendMessagesRequest(
        conversation=target(channel=channel), messages=[message(each) for each in TALK]
    )
    await stack.ingest.AppendMessages(request)
    await embed_everything(stack)
    await asyncio.to_thread(compact, stack.database, composer)


def pending_parts(database: DatabaseUnderTest) -> list[tuple[int, bool]]:
    """Return the number of each passage of a summary, and whether its vector is pending."""
    with database.connect() as conn:
        return conn.execute(
            """SELECT m.part, q.memory_id IS NOT NULL
                 FROM memories m LEFT JOIN embedding_queue q ON q.namespace_id = m.namespace_id AND q.memory_id = m.id
                WHERE m.kind = 2 ORDER BY m.part"""
        ).fetchall()


#: The leaf has four passages.
ONE_OF_A_LEAF = [(0, True), (1, False), (2, False), (3, False)]


async def backfill(stack: Stack) -> int:
    request = pb.BackfillRequest(target=pb.BACKFILL_TARGET_EMBEDDINGS)
    return (await stack.maintenance.Backfill(request)).items


async def test_compact_extractive_leaf_of_indexed_messages_enqueues_one_vector(
    stack: Stack,
) -> None:
    await summarize(stack, ExtractiveComposer())
    assert pending_parts(stack.database) == ONE_OF_A_LEAF


async def test_compact_extractive_leaf_of_unindexed_messages_enqueues_every_passage(
    stack: Stack,
) -> None:
    with stack.database.connect() as conn:
        policies = '{"chat": {"index": false, "summarize": true}}'
        conn.execute("UPDATE namespaces SET channel_policies = %s", [policies])
    await summarize(stack, ExtractiveComposer(), channel="chat")
    parts = pending_parts(stack.database)
    assert len(parts) > 1
    assert all(is_pending for _, is_pending in parts)


async def test_compact_leaf_in_a_models_words_enqueues_every_passage(stack: Stack) -> None:
    await summarize(stack, ScriptedComposer())
    parts = pending_parts(stack.database)
    assert len(parts) > 1
    assert all(is_pending for _, is_pending in parts)


async def test_backfill_and_verify_do_not_miss_vectors_of_extractive_summaries(
    stack: Stack,
) -> None:
    await summarize(stack, ExtractiveComposer())
    assert await backfill(stack) == 0
    found = [each.check.name for each in verify_everything(stack.database.admin_url)]
    assert "vectors_due" not in found


async def test_rebuild_of_extractive_leaf_enqueues_one_vector(stack: Stack) -> None:
    await summarize(stack, ExtractiveComposer())
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM memories WHERE kind = 2")
        [namespace] = list_namespaces(conn)
    with connect(stack.database.admin_url) as conn:
        assert Rebuilder(conn, namespace).rebuild()["summaries"] == 1
    assert pending_parts(stack.database) == ONE_OF_A_LEAF


async def test_backfill_generation_of_extractive_leaf_enqueues_one_vector(stack: Stack) -> None:
    await summarize(stack, ExtractiveComposer())
    with stack.database.connect() as conn:
        [generation] = conn.execute(
            """INSERT INTO model_generations (state, provider, model, dimensions, awaited_writers)
               VALUES ('building', 'local', 'new', 8, '{}') RETURNING id"""
        ).fetchone() or (0,)
        conn.execute("SELECT create_vector_table(%s)", [generation])
        conn.execute("SELECT backfill_generation(%s, 1000)", [generation])
        kinds = conn.execute(
            """SELECT m.kind, count(*) FROM embedding_queue q JOIN memories m ON m.id = q.memory_id
                WHERE q.generation_id = %s GROUP BY m.kind ORDER BY m.kind""",
            [generation],
        ).fetchall()
    assert kinds == [(1, len(TALK)), (2, 1)]


async def test_semantic_search_of_summaries_finds_an_extractive_leaf(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database) as stack:
        await summarize(stack, ExtractiveComposer())
        await embed_everything(stack)
        response = await stack.search.Search(
            SearchRequest(
                query="What was wrong with the ship?",
                mode=SEARCH_MODE_SEMANTIC,
                filter=MemoryFilter(kinds=[MEMORY_KIND_SUMMARY]),
            )
        )
    assert [result.memory.kind for result in response.results] == [MEMORY_KIND_SUMMARY]

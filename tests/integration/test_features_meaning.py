"""Search by meaning in cases where other systems failed: filters, long texts, no pgvector, contexts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from everword.db.migrate import migrate
from everword.v1 import admin_service_pb2, context_service_pb2
from everword.v1 import search_service_pb2 as pb
from everword.v1.memory_pb2 import MemoryFilter
from support.background import embed_everything
from support.calls import append, append_request, message, target
from support.corpus import moment, search_request
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack

PET = "Our cat Miso sleeps on the radiator all winter."
DOG = "A dog named Bruno joined the family."
QUESTION = "Which pets do we have?"
MODES = ["SEMANTIC", "HYBRID"]
#: Converts pgvector's vectors to plain arrays, as in a database without the extension.
WITHOUT_PGVECTOR = """
DROP VIEW visible_vectors_1;
CREATE TABLE kept AS SELECT namespace_id, memory_id, embedding::real[] AS embedding FROM memory_vectors_1;
DROP TABLE memory_vectors_1;
DROP EXTENSION vector;
SELECT create_vector_table(1);
INSERT INTO memory_vectors_1 SELECT * FROM kept;
DROP TABLE kept;
"""


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """A stack with search by meaning."""
    async with running_stack(database) as stack:
        yield stack


async def search(stack: Stack, query: str, mode: str = "SEMANTIC", **fields: object) -> list[str]:
    response = await stack.search.Search(search_request(query, mode, **fields))
    return [result.memory.content for result in response.results]


async def tell(stack: Stack, content: str, day: int, agent: str) -> str:
    """Store a message on a day in March, and return its id."""
    said_at = moment(f"2026-03-{day:02}T10:00:00+00:00")
    request = append_request(message(content, create_time=said_at))
    request.conversation.CopyFrom(target(agent, agent=agent))
    return (await stack.ingest.AppendMessages(request)).messages[0].message_id


@pytest.mark.parametrize("mode", MODES)
async def test_semantic_search_applies_time_and_agent_filters_and_counts_uses_once(
    stack: Stack, mode: str
) -> None:
    cat = await tell(stack, PET, day=1, agent="opus")
    await tell(stack, DOG, day=3, agent="atlas")
    await embed_everything(stack)
    update = admin_service_pb2.UpdateNamespaceRequest()
    update.namespace.name = "default"
    update.namespace.settings.use_counting = admin_service_pb2.USE_COUNTING_RETURNED
    update.update_mask.paths.append("settings.use_counting")
    await stack.admin.UpdateNamespace(update)
    second = moment("2026-03-02T00:00:00+00:00")
    assert await search(stack, QUESTION, mode, filter=MemoryFilter(start_time=second)) == [DOG]
    assert await search(stack, QUESTION, mode, filter=MemoryFilter(agents=["atlas"])) == [DOG]
    tomorrow = MemoryFilter(start_time=moment("2999-01-01T00:00:00+00:00"))
    assert await search(stack, QUESTION, mode, filter=tomorrow) == []
    assert await search(stack, QUESTION, mode, filter=MemoryFilter(end_time=second)) == [PET]
    found = await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=cat))
    assert found.memory.use_count == 1


async def test_long_text_is_found_by_the_meaning_of_any_part(stack: Stack) -> None:
    minutes = (
        "The minutes of the last meeting were read out, and nobody objected to any of it. " * 6
    )
    parts = {
        0: "Our cat sleeps on the radiator all winter, the dog guards the door, the parrot talks.",
        15: "Lea practises the violin, her brother the cello, and on Sundays they play duets.",
        29: "The deployment failed: a certificate had expired, and the servers refused to start.",
    }
    paragraphs = [3 * f"{parts[n]} " if n in parts else minutes for n in range(30)]
    await append(stack, "\n\n".join(paragraphs), "A short remark about the weather.")
    await embed_everything(stack)
    questions = ("Which pets do we have?", "Who is a musician?", "Why did the rollout break?")
    for part, question in zip(parts.values(), questions, strict=True):
        response = await stack.search.Search(search_request(question, "SEMANTIC"))
        best = response.results[0]
        assert best.memory.content.startswith("Our cat")
        assert part in best.passage
        assert len(best.passage) < 2000


async def test_context_includes_memories_that_share_no_word_with_the_query(stack: Stack) -> None:
    await append(stack, PET, "The quarterly budget was approved by the board.", session_key="past")
    await embed_everything(stack)
    now = await append(stack, QUESTION, session_key="now")
    built = await stack.context.BuildContext(
        context_service_pb2.BuildContextRequest(
            # One turn is all of this session, so that no earlier session is shown.
            conversation_id=now.conversation_id,
            max_recent_turns=1,
        )
    )
    memories, turns = built.blocks
    assert PET in max(memories.items, key=lambda item: item.score).text
    assert [QUESTION in item.text for item in turns.items] == [True]
    assert memories.items[0].score > 0


async def scores(stack: Stack, *queries: str) -> list[dict[str, float]]:
    """Return the hits of each query by meaning, with their scores."""
    responses = [await stack.search.Search(search_request(query, "SEMANTIC")) for query in queries]
    return [
        {result.memory.content: result.score for result in response.results}
        for response in responses
    ]


async def test_semantic_scores_are_equal_without_pgvector_and_unrelated_queries_find_none(
    stack: Stack,
) -> None:
    await append(stack, PET, DOG, "The quarterly budget was approved by the board.")
    await embed_everything(stack)
    queries = (QUESTION, "Who signed off the spending?", "quantum chromodynamics on a lattice")
    before = await scores(stack, *queries)
    with stack.database.connect() as conn:
        # In a thread, since a search that holds a lock may need the event loop.
        await asyncio.to_thread(conn.execute, WITHOUT_PGVECTOR)
    after = await scores(stack, *queries)
    assert before[2] == after[2] == {}
    for some, others in zip(before[:2], after[:2], strict=True):
        assert some
        # halfvec keeps eleven bits of each number.
        assert others == pytest.approx(some, abs=2e-3)


async def test_pgvector_is_used_from_the_next_migration_once_available(stack: Stack) -> None:
    await append(stack, PET, DOG)
    await embed_everything(stack)
    with stack.database.connect() as conn:
        # In a thread, since a search that holds a lock may need the event loop.
        await asyncio.to_thread(conn.execute, WITHOUT_PGVECTOR)
        storage = "SELECT storage FROM model_generations"
        assert conn.execute(storage).fetchall() == [("array",)]
        before = await search(stack, QUESTION)
        assert set(before) == {PET, DOG}
        # `everword up` and `everword migrate` migrate at every start; this waits for readers, too.
        assert await asyncio.to_thread(migrate, stack.database.admin_url) == []
        assert conn.execute(storage).fetchall() == [("halfvec",)]
        assert await search(stack, QUESTION) == before

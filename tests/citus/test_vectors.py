"""Vectors of all namespaces are made on a distributed database, also for another model."""

from __future__ import annotations

import asyncio

import pytest

from everword.db.generations import GenerationError, Generations, NewGeneration
from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append_request
from support.citus_database import Distributed
from support.command_line import everword
from support.running_stack import Background, worker
from support.stack import Stack, running_stack
from support.waits import until

#: A text, and a question without its words.
PAIRS = (
    ("Our cat sleeps on the radiator.", "Do you have a pet?"),
    ("The ferry to Kirkwall leaves at seven.", "When does the boat depart?"),
    ("My sister Ines sings alto in a choir.", "Who in the family makes music?"),
)


async def _append(stack: Stack, names: list[str]) -> None:
    await make_namespaces(stack, *names)
    for name, (text, _) in zip(names, PAIRS, strict=True):
        await stack.ingest.AppendMessages(append_request(text), metadata=within(name))


async def _ensure_found(stack: Stack, names: list[str]) -> None:
    """Each namespace's text is found by a question without its words, and no other one."""
    for name, (text, question) in zip(names, PAIRS, strict=True):
        for mode in (pb.SEARCH_MODE_SEMANTIC, pb.SEARCH_MODE_HYBRID):
            found = await stack.search.Search(
                pb.SearchRequest(query=question, mode=mode), metadata=within(name)
            )
            assert [result.memory.content for result in found.results] == [text]


def _pending(distributed: Distributed, generation_id: int) -> int:
    with distributed.database.connect() as conn:
        row = conn.execute(
            "SELECT count(*) FROM embedding_queue q JOIN namespaces n ON n.id = q.namespace_id "
            "WHERE q.generation_id = %s AND q.state = 'pending' AND n.name LIKE 'vectors-%%'",
            [generation_id],
        ).fetchone()
    return row[0] if row else 0


def test_worker_makes_the_vectors_of_all_namespaces(
    distributed: Distributed, valkey_url: str
) -> None:
    names = [f"vectors-{number}" for number in range(len(PAIRS))]

    async def run() -> None:
        async with running_stack(distributed.database, redis_url=valkey_url) as stack:
            background = Background(
                distributed.database, stack.ingest, stack.addresses["embedder"], valkey_url
            )
            async with worker(background):
                await _append(stack, names)
                await until(lambda: _pending(distributed, 1) == 0, within_s=60)
            await _ensure_found(stack, names)

    asyncio.run(run())


def test_backlog_of_another_model_is_filled_and_searched(distributed: Distributed) -> None:
    names = [f"vectors-of-another-{number}" for number in range(len(PAIRS))]
    generations = Generations(distributed.database.admin_url)

    async def run() -> None:
        async with running_stack(distributed.database) as stack:
            await _append(stack, names)
            await embed_everything(stack)
            new = NewGeneration("local", "minilm-e5", 384, query_prefix="query: ")
            added = generations.add(new)
            await _switch(stack, added)
            assert _pending(distributed, added) == 0
            await _ensure_found(stack, names)
            await _switch(stack, 1)

    asyncio.run(run())


async def _switch(stack: Stack, generation_id: int) -> None:
    """Run the command while vectors are made."""
    owner = {"EVERWORD_ADMIN_DATABASE_URL": stack.database.admin_url}
    switching = asyncio.create_task(
        everword(stack, "models", "switch", str(generation_id), **owner)
    )
    while not switching.done():
        await embed_everything(stack)
        await asyncio.sleep(0.1)
    assert f"generation {generation_id} (minilm-e5) is active" in (await switching).output


def test_backlog_waits_for_writers_that_did_not_see_the_model(distributed: Distributed) -> None:
    generations = Generations(distributed.database.admin_url)
    with distributed.database.connect() as conn:
        with conn.transaction():
            conn.execute(
                "INSERT INTO memories (namespace_id, id, kind, source_id, occurred_at, content, lexemes, lexeme_count) "
                "VALUES (%s, nextval('memory_ids'), 1, gen_random_uuid(), now(), 'late', '', 0)",
                [distributed.theirs],
            )
            added = generations.add(NewGeneration("local", "late", 8))
            generations.backfill(added)
            assert generations.get(added).backfilled_at is None
        generations.backfill(added)
        assert generations.get(added).backfilled_at is not None
        late = conn.execute(
            "SELECT q.state FROM memories m JOIN embedding_queue q "
            "ON q.namespace_id = m.namespace_id AND q.memory_id = m.id AND q.generation_id = %s "
            "WHERE m.namespace_id = %s AND m.content = 'late'",
            [added, distributed.theirs],
        ).fetchall()
        assert late == [("pending",)]
    generations.drop(added)
    with pytest.raises(GenerationError, match="there is no model generation"):
        generations.get(added)

"""A user's own memories are found by meaning, however many nearer ones other users have, and however many exist."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from everword.db.generations import Generations, NewGeneration
from everword.v1 import search_service_pb2 as pb
from everword.v1.memory_pb2 import MemoryFilter
from everword_search.passages.store import SQL
from everword_search.retrieval.arms import semantic
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append, append_request, message, target
from support.corpus import search_request
from support.databases import cloned
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")
DIMENSIONS = 32
CROWD = 4500
OWN = 40
QUERY = "harbour"


class HarbourModel(ScriptedEmbedder):
    """A model with a single topic; the fewer doubts a text about it contains, the nearer it is."""

    def vector(self, text: str) -> NDArray[np.float32]:
        chance = super().vector(text)
        if QUERY not in text:
            return chance
        axis = np.zeros(self.dimensions, dtype=np.float32)
        axis[0] = 1.0
        mixed = axis + (0.3 + 0.4 * text.count("perhaps")) * chance
        unit: NDArray[np.float32] = mixed / np.linalg.norm(mixed)
        return unit


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def crowded(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack in which other users, and another namespace in the same partition, have nearer memories than `own`."""
    with cloned(postgres_url) as database, HarbourModel(DIMENSIONS).running() as model:
        async with running_stack(database) as stack:
            generations = Generations(database.admin_url)
            new = NewGeneration("openai", "scripted", DIMENSIONS, endpoint=model.url)
            added = generations.add(new)
            with database.connect() as conn:
                # Only the new model is needed; the other one would take minutes.
                conn.execute(
                    "UPDATE model_generations SET state = 'retiring' WHERE id <> %s", [added]
                )
                conn.execute(
                    "UPDATE model_generations SET state = 'active', backfilled_at = now() WHERE id = %s",
                    [added],
                )
            crowd = [f"harbour {n}" for n in range(CROWD)]
            for start in range(0, CROWD, 1000):
                await append(stack, *crowd[start : start + 1000], session_key="crowd")
            own = append_request(*(message(f"perhaps harbour {n}") for n in range(OWN)))
            own.conversation.CopyFrom(target("own", subject="marta"))
            await stack.ingest.AppendMessages(own)
            await embed_everything(stack)
            # Indexed last, since the links of early entries may be replaced by thousands of equal ones.
            await append(stack, "perhaps harbour", metadata=within(await _neighbour(stack)))
            await embed_everything(stack)
            with database.connect() as conn:
                conn.execute("ANALYZE")
            yield stack


async def _neighbour(stack: Stack) -> str:
    """Create a namespace whose vectors are in the same index as those of `default`, and return its name."""
    names = [f"n{number}" for number in range(16)]
    await make_namespaces(stack, *names)
    together = """
        SELECT n.name FROM namespaces n, deployment d, namespaces o, generate_series(0, d.partitions - 1) AS r
         WHERE o.name = 'default' AND n.name <> 'default'
           AND satisfies_hash_partition('memories'::regclass, d.partitions, r, n.id)
           AND satisfies_hash_partition('memories'::regclass, d.partitions, r, o.id)
    """
    with stack.database.connect() as conn:
        found = conn.execute(together).fetchone()
    assert found
    return str(found[0])


@contextmanager
def through_the_index() -> Iterator[None]:
    """Search with the HNSW index, which the planner avoids if sorting so few rows is cheaper."""
    prepare = SQL["prepare_hnsw"]
    unsorted = f"{prepare.sql.rstrip(';')}, set_config('enable_sort', 'off', true)"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(semantic, "EXACT_PASSAGES", 0)
        patch.setitem(SQL, "prepare_hnsw", replace(prepare, sql=unsorted))
        yield


async def search(stack: Stack, **fields: object) -> list[str]:
    response = await stack.search.Search(search_request(QUERY, "SEMANTIC", **fields))
    [arm] = response.arms
    assert arm.state == pb.ArmReport.STATE_RAN
    return [result.memory.content for result in response.results]


async def conversation(stack: Stack, session_key: str) -> str:
    listed = await stack.search.ListConversations(pb.ListConversationsRequest())
    [id_] = [c.id for c in listed.conversations if c.key.session_key == session_key]
    return id_


async def test_semantic_search_pages_through_more_than_4000_memories(
    crowded: Stack,
) -> None:
    """Another vector store refuses more than 4,096 neighbours, and its client took the error for an empty memory."""
    seen: list[str] = []
    token = ""
    while True:
        request = search_request(QUERY, "SEMANTIC", page_size=200, page_token=token)
        page = await crowded.search.Search(request)
        seen += [result.memory.content for result in page.results]
        token = page.next_page_token
        if not token:
            break
    assert len(seen) == len(set(seen)) == CROWD + OWN
    assert not any(content.startswith("perhaps") for content in seen[: CROWD // 2])


@pytest.mark.parametrize("field", ["conversation_ids", "subjects"])
async def test_filter_is_applied_before_nearest_neighbours_are_limited(
    crowded: Stack, field: str
) -> None:
    """If the filter were applied after the nearest neighbours are chosen, nothing would remain."""
    value = "marta" if field == "subjects" else await conversation(crowded, "own")
    only = MemoryFilter(**{field: [value]})  # type: ignore[arg-type]
    exact = await search(crowded, filter=only)
    with through_the_index():
        assert not any(content.startswith("perhaps") for content in await search(crowded))
        found = await search(crowded, filter=only)
    assert len(found) == 10
    assert all(content.startswith("perhaps") for content in found)
    assert len(set(found) & set(exact)) >= 9


async def test_vectors_of_other_namespaces_do_not_reduce_the_results(crowded: Stack) -> None:
    name = await _owner_of_one(crowded)
    for patched in (False, True):
        request = search_request(QUERY, "SEMANTIC")
        if patched:
            with through_the_index():
                response = await crowded.search.Search(request, metadata=within(name))
        else:
            response = await crowded.search.Search(request, metadata=within(name))
        assert [result.memory.content for result in response.results] == ["perhaps harbour"]


async def _owner_of_one(stack: Stack) -> str:
    with stack.database.connect() as conn:
        row = conn.execute(
            "SELECT n.name FROM memories m JOIN namespaces n ON n.id = m.namespace_id "
            "WHERE m.content = 'perhaps harbour'"
        ).fetchone()
    assert row
    return str(row[0])

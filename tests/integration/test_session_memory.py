"""The default context of a long conversation: its newest turns, a summary, and memories that match the query."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as pb
from everword.v1 import memory_pb2, search_service_pb2
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.background import embed_everything
from support.calls import append_request, message, target
from support.compaction import compact_everything
from support.corpus import moment
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

DEFAULT_BUDGET, DEFAULT_TURNS = 4000, 20
MEMORIES = pb.CONTEXT_SOURCE_MEMORIES
TURNS = pb.CONTEXT_SOURCE_CHAT_HISTORY
DOOR = "The greenhouse door is opened with the green key behind the clock."
ELSEWHERE = "Our beekeeper Odile comes on the first Sunday of each month."
PLANTS = ("leeks", "beans", "kale", "chard", "peas", "garlic", "dill", "sorrel")
#: The greenhouse at the beginning, then seventy turns about beds.
SAID = (
    DOOR,
    "Noted.",
    *(
        f"Bed {n} has {PLANTS[n % 8]}; row {n * 3} was watered with {n + 2} litres by hand."
        for n in range(70)
    ),
)


@dataclass(frozen=True)
class Garden:
    """A stack with a long conversation, and another one of the same agent and user."""

    stack: Stack
    conversation_id: str
    other_id: str

    async def build(self, **fields: object) -> pb.BuildContextResponse:
        request = pb.BuildContextRequest(conversation_id=self.conversation_id, **fields)  # type: ignore[arg-type]
        return await self.stack.context.BuildContext(request)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def garden(postgres_url: str) -> AsyncIterator[Garden]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            fields = {"agent": "gardener", "subject": "ada"}
            ids = []
            for key, texts, day in (("beds", SAID, 3), ("bees", (ELSEWHERE,), 2)):
                begin = moment(f"2026-04-0{day}T09:00:00+00:00").ToSeconds()
                request = append_request(
                    *(
                        message(
                            text,
                            role=memory_pb2.ROLE_ASSISTANT if n % 2 else memory_pb2.ROLE_USER,
                            create_time={"seconds": begin + 60 * n},
                        )
                        for n, text in enumerate(texts)
                    )
                )
                request.conversation.CopyFrom(target(key, **fields))
                ids.append((await stack.ingest.AppendMessages(request)).conversation_id)
            await compact_everything(stack, ExtractiveComposer())
            await embed_everything(stack)
            yield Garden(stack, *ids)


def items(
    response: pb.BuildContextResponse, source: pb.ContextSource.ValueType
) -> list[pb.ContextItem]:
    return [item for block in response.blocks if block.source == source for item in block.items]


def words(item: pb.ContextItem) -> str:
    return item.text.partition(": ")[2]


def turns(response: pb.BuildContextResponse) -> list[pb.ContextItem]:
    return [item for item in items(response, TURNS) if item.memory.seq]


async def test_context_contains_the_newest_turns_verbatim(garden: Garden) -> None:
    newest = turns(await garden.build())[-DEFAULT_TURNS:]
    assert [words(item) for item in newest] == list(SAID[-DEFAULT_TURNS:])
    assert [item.memory.seq for item in newest] == [*range(len(SAID) - 19, len(SAID) + 1)]


async def test_context_replaces_older_turns_with_summaries(garden: Garden) -> None:
    response = await garden.build(query="What is in the beds?")
    summaries = [item for item in items(response, TURNS) if item.memory.summary_level]
    assert summaries
    assert {item.memory.kind for item in summaries} == {memory_pb2.MEMORY_KIND_SUMMARY}
    # The summaries contain the words of messages that are neither shown nor recalled.
    shown = {words(item) for item in items(response, TURNS)}
    left_out = [text.split(";")[0] for text in SAID[2:-DEFAULT_TURNS] if text not in shown]
    told = " ".join(item.text for item in summaries)
    assert sum(text in told for text in left_out) > len(left_out) / 5
    assert response.token_count <= DEFAULT_BUDGET


@pytest.mark.parametrize("budget", [250, 600, 1200])
async def test_context_history_drops_oldest_turns_to_fit_the_budget(
    garden: Garden, budget: int
) -> None:
    response = await garden.build(query="the green key", token_budget=budget)
    assert response.token_count <= budget
    seqs = [item.memory.seq for item in turns(response)]
    assert seqs[-1] == len(SAID)
    # Turns are complete, and none is skipped in favour of an older one.
    newest = [seq for seq in seqs if seq > len(SAID) - DEFAULT_TURNS]
    assert newest == [*range(len(SAID) - len(newest) + 1, len(SAID) + 1)]
    assert all(words(item) in SAID for item in turns(response))
    if budget < 600:
        assert 0 < len(newest) < DEFAULT_TURNS
        assert response.omitted >= DEFAULT_TURNS - len(newest)


async def test_context_recalls_only_older_turns_similar_to_the_query(garden: Garden) -> None:
    response = await garden.build(query="Where is the key of the greenhouse door?")
    older = [item for item in turns(response) if item.memory.seq <= len(SAID) - DEFAULT_TURNS]
    assert DOOR in [words(item) for item in older]
    assert len(older) <= 3
    cosines = await _cosines(garden, "Where is the key of the greenhouse door?")
    assert all(cosines[item.memory_id] >= 0.45 for item in older)
    assert all(item.memory.conversation_id == garden.conversation_id for item in older)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"recalled_turns": 1}, 1), ({"recalled_turns": 0}, 0), ({"recall_similarity": 0.99}, 0)],
)
async def test_settings_of_the_namespace_limit_recalled_turns(
    garden: Garden, settings: dict[str, float], expected: int
) -> None:
    async def change(**to: float) -> None:
        new = admin.NamespaceSettings(**to)  # type: ignore[arg-type]
        request = admin.UpdateNamespaceRequest(
            namespace=admin.Namespace(name="default", settings=new),
            update_mask=FieldMask(paths=[f"settings.{name}" for name in settings]),
        )
        await garden.stack.admin.UpdateNamespace(request)

    async def recalled() -> int:
        response = await garden.build(query="Which beds have leeks and beans?", max_memories=0)
        seqs = [item.memory.seq for item in turns(response)]
        return sum(seq <= len(SAID) - DEFAULT_TURNS for seq in seqs)

    assert await recalled() == 3
    await change(**settings)
    assert await recalled() == expected
    # Unset, they have their defaults again.
    await change()
    assert await recalled() == 3


async def test_context_includes_relevant_memory_of_another_conversation(
    garden: Garden,
) -> None:
    response = await garden.build(query="When does the beekeeper come?")
    [bees] = [item for item in items(response, MEMORIES) if words(item) == ELSEWHERE]
    assert bees.memory.conversation_id == garden.other_id
    assert bees.relevance > 0.15
    medium, high = search_service_pb2.CONFIDENCE_MEDIUM, search_service_pb2.CONFIDENCE_HIGH
    assert bees.confidence in (medium, high)
    # Messages recalled from this conversation must be similar to the query.
    older = [item for item in turns(response) if item.memory.seq <= len(SAID) - DEFAULT_TURNS]
    cosines = await _cosines(garden, "When does the beekeeper come?")
    assert all(cosines[item.memory_id] >= 0.45 for item in older)


async def _cosines(garden: Garden, query: str) -> dict[str, float]:
    request = search_service_pb2.SearchRequest(
        query=query,
        mode=search_service_pb2.SEARCH_MODE_SEMANTIC,
        page_size=200,
        explain=True,
        filter=memory_pb2.MemoryFilter(conversation_ids=[garden.conversation_id]),
    )
    found = await garden.stack.search.Search(request)
    return {each.memory.id: each.explanation.parts[0].raw for each in found.results}

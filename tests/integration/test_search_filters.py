"""Filters work in every mode, and in Browse."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from support.cached_search import asked, find, warm_up, was_in_memory
from support.calls import append_request, message, target
from support.corpus import moment, search_request
from support.databases import cloned
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODES = ["HYBRID", "LEXICAL", "TRIGRAM", "REGEX", "BROWSE"]
#: Modes that can be answered from the cache alone.
IN_MEMORY = {"HYBRID", "LEXICAL"}
#: Found by every mode in every message.
QUERY = "v2.10.3"
#: Differs from the first conversation in every attribute of filters.
DAYS = ("2026-03-01T10:00:00+00:00", "2026-03-02T10:00:00+00:00", "2026-03-03T10:00:00+00:00")


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["database", "memory"])
async def stack(postgres_url: str, request: pytest.FixtureRequest) -> AsyncIterator[Stack]:
    in_memory = request.param == "memory"
    with cloned(postgres_url) as database:
        async with running_stack(
            database, cache_mb=64 if in_memory else 0, embedder=False
        ) as stack:
            await _fill(stack)
            if in_memory:
                await warm_up(stack)
                only = memory_pb2.MemoryFilter(agents=["atlas"])
                assert (await find(stack, QUERY, filter=only))[1]
            yield stack


async def _fill(stack: Stack) -> None:
    """Store four messages that contain the query: three in one conversation, one in another."""
    first = append_request(
        message("one v2.10.3", author="Mara", tags=["a", "b"], create_time=moment(DAYS[0])),
        message("two v2.10.3", author="atlas", role=3, tags=["b"], create_time=moment(DAYS[1])),
        message("three v2.10.3", automated=True, create_time=moment(DAYS[2])),
    )
    first.conversation.CopyFrom(
        target("first", agent="atlas", channel="slack", instance="laptop", subject="mara")
    )
    second = append_request(
        message("four v2.10.3", author="Inés", instance="phone", create_time=moment(DAYS[2]))
    )
    second.conversation.CopyFrom(
        target("second", agent="opus", channel="telegram", instance="server", subject="ines")
    )
    for request in (first, second):
        await stack.ingest.AppendMessages(request)


async def found(stack: Stack, mode: str, **fields: Any) -> set[str]:
    """Return the first words of all hits."""
    filter_ = memory_pb2.MemoryFilter(**fields)
    memories: list[memory_pb2.Memory]
    if mode == "BROWSE":
        page = await stack.search.Browse(pb.BrowseRequest(filter=filter_))
        memories = list(page.memories)
    else:
        query = r"v2\.1\d\.3" if mode == "REGEX" else QUERY
        asking = search_request(query, mode, filter=filter_)
        response, statements = await asked(stack.search, asking)
        if "read_passages" in statements and mode in IN_MEMORY:
            assert was_in_memory(statements)
        memories = [result.memory for result in response.results]
    return {memory.content.split()[0] for memory in memories}


@pytest.mark.parametrize("mode", MODES)
async def test_automated_memories_are_excluded_by_default_in_every_mode(
    stack: Stack, mode: str
) -> None:
    assert await found(stack, mode) == {"one", "two", "four"}
    assert await found(stack, mode, include_automated=True) == {"one", "two", "three", "four"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"agents": ["atlas"]}, {"one", "two"}),
        ({"agents": ["atlas", "opus"]}, {"one", "two", "four"}),
        ({"subjects": ["ines"]}, {"four"}),
        ({"channels": ["slack", "none"]}, {"one", "two"}),
        ({"instances": ["laptop"]}, {"one", "two"}),
        ({"instances": ["server"]}, set()),
        ({"instances": ["phone"]}, {"four"}),
        ({"authors": ["Mara", "Inés"]}, {"one", "four"}),
        ({"roles": [memory_pb2.ROLE_ASSISTANT]}, {"two"}),
        ({"kinds": [memory_pb2.MEMORY_KIND_MESSAGE]}, {"one", "two", "four"}),
        ({"tags": ["a"]}, {"one"}),
        ({"tags": ["b", "c"]}, {"one", "two"}),
        ({"start_time": moment(DAYS[1])}, {"two", "four"}),
        ({"end_time": moment(DAYS[1])}, {"one"}),
        ({"start_time": moment(DAYS[1]), "end_time": moment(DAYS[2])}, {"two"}),
        ({"start_time": moment("2027-01-01T00:00:00+00:00")}, set()),
        ({"agents": ["atlas"], "authors": ["Inés"]}, set()),
        ({"agents": ["atlas"], "tags": ["b"], "roles": [memory_pb2.ROLE_USER]}, {"one"}),
    ],
)
async def test_filter_is_applied_in_every_mode(
    stack: Stack, mode: str, fields: dict[str, Any], expected: set[str]
) -> None:
    assert await found(stack, mode, **fields) == expected


@pytest.mark.parametrize("mode", MODES)
async def test_exclusion_filter_is_applied_in_every_mode(stack: Stack, mode: str) -> None:
    page = await stack.search.Browse(
        pb.BrowseRequest(filter=memory_pb2.MemoryFilter(include_automated=True))
    )
    by_word = {each.content.split()[0]: each for each in page.memories}
    second = by_word["four"].conversation_id
    message = memory_pb2.MEMORY_KIND_MESSAGE
    cases: list[tuple[dict[str, Any], set[str]]] = [
        ({"excluded_memory_ids": [by_word["one"].id, by_word["four"].id]}, {"two"}),
        ({"excluded_conversation_ids": [second]}, {"one", "two"}),
        ({"excluded_authors": ["Mara", "nobody"]}, {"two", "four"}),
        ({"excluded_authors": ["Mara"], "authors": ["Mara", "Inés"]}, {"four"}),
        ({"excluded_kinds": [message]}, set()),
        ({"excluded_kinds": [memory_pb2.MEMORY_KIND_SUMMARY]}, {"one", "two", "four"}),
        # Excludes later messages of the conversation, and later messages of other conversations.
        ({"as_of_message_id": by_word["one"].id}, {"one"}),
        ({"as_of_message_id": by_word["two"].id}, {"one", "two"}),
        ({"as_of_message_id": by_word["four"].id}, {"one", "two", "four"}),
    ]
    for fields, expected in cases:
        assert await found(stack, mode, **fields) == expected, fields
    refusal = await refused(found(stack, mode, as_of_message_id=second))
    assert refusal.reason == "MEMORY_NOT_FOUND"


@pytest.mark.parametrize("mode", MODES)
async def test_conversation_filter_is_applied_in_every_mode(stack: Stack, mode: str) -> None:
    listed = await stack.search.ListConversations(pb.ListConversationsRequest())
    by_key: Callable[[str], str] = lambda key: next(  # noqa: E731
        entry.id for entry in listed.conversations if entry.key.session_key == key
    )
    assert await found(stack, mode, conversation_ids=[by_key("second")]) == {"four"}
    both = [by_key("first"), by_key("second")]
    assert await found(stack, mode, conversation_ids=both) == {"one", "two", "four"}

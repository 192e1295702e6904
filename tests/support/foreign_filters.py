"""Calls whose filter names ids of another namespace, for each RPC with a filter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from everword.v1 import context_service_pb2 as context
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search
from everword.v1 import watch_pb2 as watch
from support.foreign import (
    NO_MEMORY,
    NOTHING,
    Call,
    Theirs,
    browse_request,
    search_request,
)
from support.stack import Stack

#: Calls the RPC with a filter; checks that its answer contains nothing of the other namespace.
_Filtered = tuple[Callable[[Stack, memory.MemoryFilter], Awaitable[Any]], Callable[[Any], bool]]


async def last_part(
    stack: Stack, wanted: context.BuildContextRequest
) -> context.StreamContextResponse:
    request = context.StreamContextRequest(context=wanted)
    return [part async for part in stack.context.StreamContext(request)][-1]


async def first_told(
    stack: Stack, wanted: watch.WatchMemoriesRequest, **call_options: Any
) -> watch.WatchMemoriesResponse:
    call = stack.search.WatchMemories(wanted, **call_options)
    try:
        async for response in call:
            return response
    finally:
        call.cancel()
    raise AssertionError("it said nothing")


def _wanted(wanted: memory.MemoryFilter) -> context.BuildContextRequest:
    return context.BuildContextRequest(query="words", filter=wanted)


FILTERED: dict[str, _Filtered] = {
    "Search filter": (
        lambda s, f: s.search.Search(search_request(filter=f)),
        lambda answer: not answer.results,
    ),
    "Browse filter": (
        lambda s, f: s.search.Browse(browse_request(filter=f)),
        lambda answer: not answer.memories,
    ),
    "Answer filter": (
        lambda s, f: s.search.Answer(search.AnswerRequest(query="words", filter=f)),
        lambda answer: answer == NOTHING,
    ),
    "WatchMemories filter": (
        lambda s, f: first_told(s, watch.WatchMemoriesRequest(filter=f)),
        lambda answer: not answer.events,
    ),
    "BuildContext filter": (
        lambda s, f: s.context.BuildContext(_wanted(f)),
        lambda answer: (answer.text, answer.omitted) == ("", 0),
    ),
    "StreamContext context.filter": (
        lambda s, f: last_part(s, _wanted(f)),
        lambda answer: (answer.end.token_count, answer.end.omitted) == (0, 0),
    ),
}
#: Filters that only name ids of the other namespace.
_FILTERS: dict[str, Callable[[Theirs], memory.MemoryFilter]] = {
    "conversation_ids": lambda t: t.filter,
    "document_ids": lambda t: memory.MemoryFilter(document_ids=[t.document_id]),
    "excluded_memory_ids": lambda t: memory.MemoryFilter(excluded_memory_ids=[t.message_id]),
    "excluded_conversation_ids": lambda t: memory.MemoryFilter(
        excluded_conversation_ids=[t.conversation_id]
    ),
}


def _call(
    make: Callable[[Stack, memory.MemoryFilter], Awaitable[Any]],
    filter_: Callable[[Theirs], memory.MemoryFilter],
) -> Call:
    return lambda s, t: make(s, filter_(t))


#: Like `REFUSED` and `EMPTY` of the test.
FILTERS_REFUSED: dict[str, tuple[str, Call]] = {
    f"{name}.as_of_message_id": (
        NO_MEMORY,
        _call(make, lambda t: memory.MemoryFilter(as_of_message_id=t.message_id)),
    )
    for name, (make, _) in FILTERED.items()
}
FILTERS_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    f"{name}.{field}": (_call(make, filter_), is_empty)
    for name, (make, is_empty) in FILTERED.items()
    for field, filter_ in _FILTERS.items()
}

"""Other namespaces show neither in response times nor, without the services' own filters, in answers."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import suppress

import grpc
import pytest

from everword.chat.settings import ChatSettings
from everword.v1 import search_service_pb2 as search
from support.apart_by_time import likely_longer, time_apart
from support.callers import within
from support.databases import DatabaseUnderTest
from support.foreign import MODEL, Theirs
from support.foreign_filled import fill_theirs
from support.isolation import forget_namespaces
from support.probes import NOBODY
from support.stack import Stack, running_stack
from support.twins import tell_apart, twins

pytestmark = pytest.mark.long


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    chat = ChatSettings("http://127.0.0.1:9", MODEL)
    async with running_stack(database, chat=chat) as stack:
        yield stack


@pytest.fixture
async def theirs(stack: Stack) -> Theirs:
    return await fill_theirs(stack)


async def test_no_time_tells_what_is_theirs_from_what_never_was(
    stack: Stack, theirs: Theirs
) -> None:
    """Each RPC with each id, 40 times; differences are checked again with 160 calls."""
    # The check above would also pass if it could not detect small differences; one extra lookup must be detected.
    looked_up, refused = [], []
    for _ in range(40):
        looked_up.append(await _seconds(stack, NOBODY))
        refused.append(await _seconds(stack, "no id"))
    assert likely_longer(looked_up, refused) > 0.8
    async with twins(stack, "timed-1", "timed-2") as both:
        tried, wrong = await time_apart(both, theirs, rounds=10)
    assert wrong == []
    assert tried > 100


async def test_without_the_services_filters_no_text_of_theirs_tells_anything(
    stack: Stack, theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with twins(stack, "known-1", "known-2") as both:
        texts = await both.texts_of("theirs") | {"request_id": "pattern", "reason": "Their reason."}
    forget_namespaces(monkeypatch)
    async with twins(stack, "bare-1", "bare-2") as both:
        assert await tell_apart(both, theirs, texts) == []


async def _seconds(stack: Stack, memory_id: str) -> float:
    begun = time.perf_counter()
    with suppress(grpc.aio.AioRpcError):
        await stack.search.GetMemory(
            search.GetMemoryRequest(memory_id=memory_id), metadata=within("theirs")
        )
    return time.perf_counter() - begun

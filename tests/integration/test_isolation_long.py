"""Other namespaces show neither in response times nor, without the services' own filters, in answers."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor

from everword.chat.settings import ChatSettings
from everword.v1 import search_service_pb2 as search
from fuzz.requests import WATCHES
from scripts.recipes import Recipe
from support.callers import within
from support.databases import DatabaseUnderTest
from support.foreign_filled import fill_other_namespace
from support.foreign_namespaces import MODEL, Theirs
from support.isolation import forget_namespaces
from support.probes import NOBODY, Path, paths, values_for
from support.stack import Stack, running_stack
from support.twins import Twins, find_differences, recipes, twins


def likely_longer(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the probability that a first time is longer than a second one; .5 if they do not differ.

    This is Mann and Whitney's U, over the number of pairs.
    """
    longer = sum((a > b) + (a == b) / 2 for a in first for b in second)
    return longer / (len(first) * len(second))


async def compare_durations(both: Twins, theirs: Any, rounds: int) -> tuple[int, list[str]]:
    """Call each RPC with ids of theirs and ids that never were, in turn.

    Returns how many places were tried, and those where time tells the two apart: where chance could be the reason, four
    times as many calls decide.
    """
    tried, wrong = 0, []
    for method, recipe in recipes():
        for path in paths(method):
            values = values_for(method, path, theirs, {}) if path.is_id else None
            if values is None or method.name in WATCHES:
                continue
            tried += 1
            likely = await _times(both, method, recipe, path, values, rounds)
            if abs(likely - 0.5) > 0.3:
                likely = await _times(both, method, recipe, path, values, 4 * rounds)
                if abs(likely - 0.5) > 0.2:
                    wrong.append(f"{method.name} {path}: {likely:.2f}")
        await both.go_on(method, recipe)
    return tried, wrong


async def _times(
    both: Twins,
    method: MethodDescriptor,
    recipe: Recipe,
    path: Path,
    values: tuple[str, str],
    rounds: int,
) -> float:
    """Return how likely a call with the first value takes longer; each twin gets both, in either order."""
    first: list[float] = []
    second: list[float] = []
    for number in range(2 * rounds):
        turned = number % 2
        told = await both.probe(method, recipe, path, values[::-1] if turned else values)
        for at, each in enumerate(told):
            (first, second)[at ^ turned].append(each.seconds)
    return likely_longer(first, second)


pytestmark = pytest.mark.long


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    chat = ChatSettings("http://127.0.0.1:9", MODEL)
    async with running_stack(database, chat=chat, embedder=False) as stack:
        yield stack


@pytest.fixture
async def theirs(stack: Stack) -> Theirs:
    return await fill_other_namespace(stack)


async def test_response_times_do_not_reveal_whether_a_foreign_id_exists(
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
        tried, wrong = await compare_durations(both, theirs, rounds=10)
    assert wrong == []
    assert tried > 100


async def test_answers_reveal_nothing_of_another_namespace_without_service_filters(
    stack: Stack, theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with twins(stack, "known-1", "known-2") as both:
        texts = await both.texts_of("theirs") | {"request_id": "pattern", "reason": "Their reason."}
    forget_namespaces(monkeypatch)
    async with twins(stack, "bare-1", "bare-2") as both:
        assert await find_differences(both, theirs, texts) == []


async def _seconds(stack: Stack, memory_id: str) -> float:
    begun = time.perf_counter()
    with suppress(grpc.aio.AioRpcError):
        await stack.search.GetMemory(
            search.GetMemoryRequest(memory_id=memory_id), metadata=within("theirs")
        )
    return time.perf_counter() - begun

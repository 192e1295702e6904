"""`everword bench speed`: failed calls, and reading the statements of the database's log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from everword.bench.speed import ingest, sustained_rate
from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.recorder import Recording
from everword.bench.speed.timers import open_loop
from everword.client import Client
from everword.v1 import search_service_pb2 as pb

QUERIES = [str(number) for number in range(4)]


class Searches:
    """Searches by a client, of which some go without an arm."""

    def __init__(self, failing: Sequence[int]) -> None:
        self.calls = 0
        self.failing = failing

    async def __call__(self, client: Client, query: str) -> pb.SearchResponse:
        self.calls += 1
        if self.calls in self.failing:
            raise RuntimeError("SEARCH_ARM_SEMANTIC was left out: slow")
        return pb.SearchResponse()


async def climbed(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> sustained_rate.SustainedRate:
    async def prepare(client: Client, queries: Sequence[str]) -> None:
        pass

    monkeypatch.setattr(sustained_rate, "search", searches)
    monkeypatch.setattr(sustained_rate, "prepare", prepare)
    monkeypatch.setattr(sustained_rate, "RATES", (50, 100, 200))
    return await sustained_rate.climb(cast(Client, None), QUERIES, 0.1)


async def test_failed_searches_are_counted_and_their_rate_is_not_sustained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # All 5 calls of the first rate succeed; 2 of the 10 calls of the second fail.
    found = await climbed(Searches((7, 12)), monkeypatch)
    assert found.held == 50
    assert {rate: (each["calls"], each["failed"]) for rate, each in found.rates.items()} == {
        "50": (5, 0),
        "100": (8, 2),
    }


async def test_rate_without_successful_searches_ends_the_climb(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = await climbed(Searches(range(6, 100)), monkeypatch)
    assert found.held == 50
    assert found.rates["100"]["failed"] == 10


async def test_climb_without_successful_searches_raises_the_first_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(RuntimeError, match="SEMANTIC was left out"):
        await climbed(Searches(range(100)), monkeypatch)


async def test_open_loop_raises_programming_errors_of_a_call() -> None:
    async def call(_: str) -> None:
        raise KeyError("no such name")

    with pytest.raises(KeyError):
        await open_loop(call, QUERIES, rate=100, seconds=0.1)


def test_from_memory_is_share_of_searches_without_retrieval_queries() -> None:
    page = {"read_memories": 0.5, "describe_namespace": 0.2}
    by_words, by_meaning = {"find_lexical": 1.0, **page}, {"find_semantic_exact": 1.0, **page}
    assert Recording([page, by_words, page, {"find_trigram": 0.1, **page}]).from_memory() == 0.75
    assert Recording([by_meaning, page]).from_memory() == 0.5
    assert Recording([]).from_memory() == 0


@pytest.mark.parametrize("shape", ingest.SHAPES.values(), ids=list(ingest.SHAPES))
@pytest.mark.parametrize("messages", [100, 4_000])
def test_ingest_bench_makes_at_least_twenty_calls_per_shape(
    shape: tuple[int, int], messages: int
) -> None:
    size, number = ingest.Ingest(cast(BenchStack, None), messages).calls(*shape)
    assert number >= max(20, shape[1])
    assert size <= shape[0]
    if messages == 4_000:
        assert size == shape[0]

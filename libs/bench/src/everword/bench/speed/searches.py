"""Searches, pages and contexts by a caller that waits for each answer, compared with the bare SQL of the same calls."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.corpus import SEED, tag_of
from everword.bench.speed.recorder import Recording, next_call, recorded
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.timers import Call, T, Times, closed_loop, until_no_faster
from everword.client import CallError, Client
from everword.domain.ids import new_id
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword.v1.context_service_pb2 import BuildContextRequest
from everword.v1.conversation_pb2 import ConversationKey

PROFILE = "recall"
MODES = {
    "search_lexical": pb.SEARCH_MODE_LEXICAL,
    "search_semantic": pb.SEARCH_MODE_SEMANTIC,
    "search_trigram": pb.SEARCH_MODE_TRIGRAM,
}
BUDGET = 4_000
BROWSED = 50
#: Calls of which the statements are recorded.
RECORDED = 60
#: From here on a namespace is one of the issue's million.
MILLION = 1_000_000
EMPTY_CALLS = 300
#: Between an append and a search in one of many namespaces.
_BETWEEN_S = 0.05
#: Number of namespaces, out of many, that the figure is about; the details cover all of them.
MOST_NAMESPACES = 100
#: A client of the namespace to search, and the query.
Turn = tuple[Client, str]


@dataclass(frozen=True)
class TimedCalls:
    """The times of calls, and the work of the database for them."""

    times: Times
    recording: Recording


def request(
    query: str, mode: pb.SearchMode.ValueType, tags: Sequence[str] = ()
) -> pb.SearchRequest:
    profile = PROFILE if mode == pb.SEARCH_MODE_HYBRID else ""
    requested = memory_pb2.MemoryFilter(tags=tags) if tags else None
    return pb.SearchRequest(query=query, mode=mode, profile=profile, page_size=10, filter=requested)


async def search(
    client: Client,
    query: str,
    mode: pb.SearchMode.ValueType = pb.SEARCH_MODE_HYBRID,
    tags: Sequence[str] = (),
) -> pb.SearchResponse:
    """Search, and raise RuntimeError for an answer that went without an arm."""
    response = await client.search_service.Search(request(query, mode, tags))
    for report in response.arms:
        if report.state == pb.ArmReport.STATE_DEGRADED:
            raise RuntimeError(f"{pb.SearchArm.Name(report.arm)} was left out: {report.reason}")
    return response


async def search_in_database(
    client: Client, query: str, mode: pb.SearchMode.ValueType = pb.SEARCH_MODE_HYBRID
) -> None:
    """Search with explanations, which are computed in the database even if the namespace is in memory."""
    asked = pb.SearchRequest(query=query, mode=mode, explain=True, page_size=10)
    await client.search_service.Search(asked)


async def build_context(client: Client, query: str) -> None:
    asked = BuildContextRequest(query=query, token_budget=BUDGET)
    await client.context_service.BuildContext(asked)


async def empty_call(client: Client) -> None:
    """Make a call that does nothing but pass all interceptors and look into the database once."""
    try:
        await client.search_service.GetMemory(pb.GetMemoryRequest(memory_id=str(new_id())))
    except CallError as error:
        if error.reason != "MEMORY_NOT_FOUND":
            raise


async def ask(
    bench: BenchStack, call: Call[T], queries: Sequence[T], bare: Call[T] | None = None
) -> TimedCalls:
    """Make every call once to cache the query's vector, once to be timed, and some to be recorded.

    `bare` is recorded instead, if given.
    """
    await closed_loop(call, queries)
    times = await closed_loop(call, queries)
    async with recorded(bench) as recording:
        for query in queries[:RECORDED]:
            next_call(bench)
            await (bare or call)(query)
        next_call(bench)
    # The part after the last separator is not a call.
    del recording.calls[-1:]
    return TimedCalls(times, recording)


def hybrid_id(scale: int, figures: AbstractSet[str]) -> str:
    """Return the id of hybrid search at a scale, or the single id of it in `figures`."""
    names = {"search_hybrid_100k", "search_hybrid_1m"} & figures
    if len(names) == 1:
        return next(iter(names))
    return "search_hybrid_1m" if scale >= MILLION else "search_hybrid_100k"


async def hybrid(
    bench: BenchStack, client: Client, id_: str, scale: int, queries: Sequence[str]
) -> Row:
    asked = await ask(bench, partial(search, client), queries, partial(search_in_database, client))
    arm, floor_ms = asked.recording.slowest_arm()
    empty = await closed_loop(lambda _: empty_call(client), range(EMPTY_CALLS))
    details = {**_details(asked), "slowest_arm": arm, "empty_call_p50_ms": round(empty.ms(0.5), 3)}
    floor = Floor(floor_ms, f"bare SQL of the slowest arm ({arm}), p50")
    return Row(id_, scale, asked.times.ms(0.5), "ms", floor, details)


async def measure_mode(
    bench: BenchStack, client: Client, scale: int, id_: str, queries: Sequence[str]
) -> Row:
    mode = MODES[id_]
    asked = await ask(
        bench,
        partial(search, client, mode=mode),
        queries,
        partial(search_in_database, client, mode=mode),
    )
    _, floor_ms = asked.recording.slowest_arm()
    floor = Floor(floor_ms, "bare SQL of the arm, p50")
    return Row(id_, scale, asked.times.ms(0.5), "ms", floor, _details(asked))


async def selective(
    bench: BenchStack, client: Client, scale: int, scopes: Sequence[int], queries: Sequence[str]
) -> Row:
    """Search by both, among messages of one scope alone; the figure is of the smallest."""
    by_scope = {
        scope: await ask(bench, partial(search, client, tags=[tag_of(scope)]), queries)
        for scope in scopes
    }
    row = _compare_with_sql("search_selective", scale, by_scope[scopes[0]])
    spread = {str(scope): each.times.details() for scope, each in by_scope.items()}
    return Row(row.id, scale, row.value, row.unit, row.floor, {**row.details, "scopes": spread})


async def browse(bench: BenchStack, client: Client, scale: int, pages: int) -> Row:
    page = pb.BrowseRequest(page_size=BROWSED)
    asked = await ask(bench, lambda _: client.search_service.Browse(page), [""] * pages)
    return _compare_with_sql("browse", scale, asked)


async def context(bench: BenchStack, client: Client, scale: int, queries: Sequence[str]) -> Row:
    asked = await ask(bench, lambda query: build_context(client, query), queries)
    floor = Floor(asked.recording.whole(0.95), "bare SQL of the same calls, p95")
    return Row("context_100k", scale, asked.times.ms(0.95), "ms", floor, _details(asked))


async def many(
    bench: BenchStack, clients: Sequence[Client], scale: int, queries: Sequence[Sequence[str]]
) -> Row:
    """Search in some of many namespaces in turn; the details have one namespace alone, and all of them."""
    every = list(zip(clients, queries, strict=True))
    visits = [(client, own[0]) for client, own in every]
    first, second = await _visit(visits), await _visit(visits)
    some = every[:: max(1, len(every) // MOST_NAMESPACES)]
    asked = await ask(
        bench,
        lambda turn: search(*turn),
        [(client, query) for client, own in some for query in own],
        lambda turn: search_in_database(*turn),
    )
    alone = await ask(bench, partial(search, clients[0]), list(queries[0]) * len(some))
    _, floor_ms = asked.recording.slowest_arm()
    details = {
        **_details(asked),
        "first_search": first.details(),
        "second_search": second.details(),
        "namespaces": len(some),
        "one_namespace": alone.times.details(),
        "all_namespaces": await _all_of(bench, [(client, own[0]) for client, own in every]),
    }
    floor = Floor(floor_ms, "bare SQL of the slowest arm, p50")
    return Row("search_hybrid_1000x1000", scale, asked.times.ms(0.5), "ms", floor, details)


async def _visit(turns: Sequence[Turn]) -> Times:
    """Append to each namespace and search in it, one after the other; only the searches are timed."""
    each: list[float] = []
    begun = time.perf_counter()
    for number, (client, query) in enumerate(turns):
        said = [memory_pb2.NewMessage(role=memory_pb2.ROLE_USER, content=f"To {number}.")]
        await client.append(ConversationKey(session_key="visits"), said)
        # Users take longer than this between an append and a search.
        await asyncio.sleep(_BETWEEN_S)
        started = time.perf_counter()
        await search(client, query)
        each.append(time.perf_counter() - started)
    return Times(each, time.perf_counter() - begun)


async def _all_of(bench: BenchStack, turns: Sequence[Turn]) -> dict[str, Any]:
    """Search once in each namespace, when as many are loaded as there is room for."""
    # A random order, because only the first ones are recorded.
    turns = random.Random(SEED).sample(turns, len(turns))
    await until_no_faster(lambda turn: search(*turn), turns)
    asked = await ask(bench, lambda turn: search(*turn), turns)
    share = round(asked.recording.from_memory(), 3)
    return {"namespaces": len(turns), **asked.times.details(), "from_memory": share}


def _compare_with_sql(id_: str, scale: int, calls: TimedCalls) -> Row:
    floor = Floor(calls.recording.whole(0.5), "bare SQL of the same calls, p50")
    return Row(id_, scale, calls.times.ms(0.5), "ms", floor, _details(calls))


def _details(calls: TimedCalls) -> dict[str, Any]:
    return {**calls.times.details(), "sql_p50_ms": calls.recording.details()}

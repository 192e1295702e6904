"""Background embedding, compared with sending the same texts to the same stub from a client that does nothing else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import partial

import httpx2

from everword.bench.speed import stub
from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.corpus import CorpusConversation, conversations
from everword.bench.speed.load import append, drained, scratch
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.searches import search
from everword.bench.speed.timers import Times, closed_loop, until
from everword.client import Client

#: The stub's speed while the background is measured, in texts a second: an embedding model on a good CPU.
RATE = 400.0
#: Length of the queue in seconds of the stub's work.
SECONDS = 8.0
#: The embedder's concurrency: requests at once, and texts in each.
IN_FLIGHT, BATCH = 2, 32
_STREAM = 3_000_000
_CALLERS = 4
_PAUSE_S = 0.05
#: Messages that a concurrent caller appends in each call.
_APPENDED = 10
#: More than a caller gets to make, with its pauses.
_MOST_APPENDS = 2_000


@dataclass(frozen=True)
class ConcurrentLoad:
    """Ingest and searches at one time."""

    ingest: Times
    searches: Times


async def measure(
    bench: BenchStack, client: Client, scale: int, queries: Sequence[str], seconds: float = SECONDS
) -> Row:
    """Return the rate at which a queue drains; details have the cost to ingest and searches."""
    messages = max(2 * BATCH, min(scale, int(RATE * seconds)))
    corpus = list(conversations(messages, _STREAM))
    # Made before there is a queue, which does not wait for it.
    extra = list(conversations(_APPENDED * _MOST_APPENDS, _STREAM + 1, _APPENDED))
    await closed_loop(lambda query: search(client, query), queries)
    async with bench.paced(texts=RATE):
        async with scratch(bench, "beside-idle") as (appended, _):
            idle = await _run_concurrently(client, queries, appended, extra, asyncio.sleep(seconds))
        before_s = await measure_embedding(bench, texts_of(corpus))
        async with scratch(bench, "drain") as (filled, name):
            with bench.paused("embedder-worker"):
                await _fill(filled, corpus)
            drain_s = await drained(bench, [name])
        after_s = await measure_embedding(bench, texts_of(corpus))
        async with (
            scratch(bench, "drain-beside") as (filled, name),
            scratch(bench, "beside") as (appended, _),
        ):
            with bench.paused("embedder-worker"):
                await _fill(filled, corpus)
            busy = await _run_concurrently(client, queries, appended, extra, drained(bench, [name]))
    floor = Floor(2 * messages / (before_s + after_s), "the stub alone, before and after")
    return Row(
        "embed_drain",
        scale,
        messages / drain_s,
        "texts/s",
        floor,
        {
            "messages": messages,
            "stub_texts_per_s": [round(messages / elapsed, 1) for elapsed in (before_s, after_s)],
            "ingest_p95_ratio": _ratio(busy.ingest, idle.ingest),
            "search_p95_ratio": _ratio(busy.searches, idle.searches),
            "idle": {"ingest": idle.ingest.details(), "search": idle.searches.details()},
            "draining": {"ingest": busy.ingest.details(), "search": busy.searches.details()},
        },
    )


async def _fill(client: Client, corpus: Sequence[CorpusConversation]) -> None:
    await closed_loop(lambda each: append(client, each), corpus, _CALLERS)


async def measure_embedding(bench: BenchStack, texts: Sequence[str]) -> float:
    """Return the seconds that the stub needs for texts when it is kept busy by a client that does nothing else."""
    batches = iter([texts[start : start + BATCH] for start in range(0, len(texts), BATCH)])

    async def sender(http: httpx2.AsyncClient) -> None:
        for batch in batches:
            body = {"model": stub.MODEL, "input": batch, "encoding_format": "base64"}
            (await http.post("/v1/embeddings", json=body)).raise_for_status()

    async with httpx2.AsyncClient(base_url=bench.stub_url, timeout=60, trust_env=False) as http:
        started = time.perf_counter()
        await asyncio.gather(*(sender(http) for _ in range(IN_FLIGHT)))
        return time.perf_counter() - started


async def _run_concurrently(
    client: Client,
    queries: Sequence[str],
    appended: Client,
    extra: Sequence[CorpusConversation],
    work: Awaitable[object],
) -> ConcurrentLoad:
    """Search with one client and append with the other, a caller each, until `work` is done."""
    done = asyncio.Event()
    searching = asyncio.create_task(until(done, partial(search, client), queries, _PAUSE_S))
    ingesting = asyncio.create_task(until(done, partial(append, appended), extra, _PAUSE_S))
    try:
        await work
    finally:
        done.set()
    return ConcurrentLoad(await ingesting, await searching)


def texts_of(corpus: Sequence[CorpusConversation]) -> list[str]:
    return [message.content for each in corpus for message in each.messages]


def _ratio(busy: Times, idle: Times) -> float:
    return round(busy.ms(0.95) / idle.ms(0.95), 3) if idle.each_s else 0.0

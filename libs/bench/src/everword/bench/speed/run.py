"""Goes through the figures of one scale, in the order in which they disturb each other least."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from collections.abc import Set as AbstractSet
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from everword.bench.speed import (
    changes,
    compaction,
    drain,
    exact,
    imports,
    ingest,
    memory,
    resources,
    searches,
    sustained_rate,
)
from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.corpus import queries, scopes
from everword.bench.speed.load import Progress, drained, load, name_of, namespace
from everword.bench.speed.row import Row
from everword.client import Client
from everword.embedded.services import SUMMARISING_WORKERS

#: The most messages that a run of ingest stores, unless that were too few calls.
INGESTED = 4_000
#: The most queries of each figure.
ASKED, JUDGED = 200, 1_000
NAMESPACE_SIZE = 1_000
#: Streams of corpora of the many namespaces.
_STREAM = 10_000
_INGEST = {"ingest_growth", *ingest.SHAPES}
_SEARCHES = {
    "search_hybrid_100k",
    "search_hybrid_1m",
    "search_load_100k",
    "context_100k",
    "search_selective",
    "browse",
    "lexical_exact_1m",
    "semantic_recall",
    "embed_drain",
    "search_under_changes",
    *searches.MODES,
}
Figure = Callable[[], Awaitable[Row]]


@dataclass(frozen=True)
class Scale:
    """The amounts of everything at one size."""

    messages: int

    @property
    def queries(self) -> int:
        return min(ASKED, max(10, self.messages // 200))

    @property
    def judged(self) -> int:
        return min(JUDGED, max(20, self.messages // 100))

    @property
    def ingested(self) -> int:
        return min(INGESTED, max(100, self.messages // 5))

    @property
    def seconds(self) -> float:
        """Seconds for which a timed figure is measured; some figures take twice as long."""
        return min(sustained_rate.SECONDS_EACH, max(0.3, self.messages / 5_000))

    @property
    def namespace_size(self) -> int:
        return min(NAMESPACE_SIZE, max(10, self.messages // 50))


async def measure(
    bench: BenchStack, messages: int, wanted: AbstractSet[str], progress: Progress
) -> AsyncIterator[Row]:
    """Yield each wanted figure as soon as it is known. Raises CallError."""
    scale = Scale(messages)
    ingesting = ingest.Ingest(bench, scale.ingested)
    if "import_embedded" in wanted:
        # First, while the workers have nothing else to do.
        progress("import_embedded", 0, 1)
        yield await imports.measure(bench, messages)
    # Summaries would go on long after the load, and figures would depend on their progress.
    with bench.paused(*SUMMARISING_WORKERS):
        if "ingest_growth" in wanted:
            progress("ingest, before the load", 0, 1)
            # The first run pays for preparation and is not measured.
            await ingesting.measure(100, 4)
            ingesting.empty = await ingesting.measure(100, 4)
        if wanted & (_SEARCHES | _INGEST | {"disk_per_message", "memory_1m"}):
            async for row in _measure_single_namespace(bench, scale, wanted, ingesting, progress):
                yield row
        if "search_hybrid_1000x1000" in wanted:
            yield await _in_many(bench, scale, progress)
        async for row in compaction.measure(bench, messages, wanted, 2 * scale.seconds, progress):
            yield row
        if "startup" in wanted:
            progress("startup", 0, 1)
            yield await asyncio.to_thread(resources.startup, bench, messages)
    if "memory_1m" in wanted:
        progress("memory_1m", 0, 1)
        yield await memory.measure(bench, messages, queries(scale.queries, messages))


async def _measure_single_namespace(
    bench: BenchStack,
    scale: Scale,
    figures: AbstractSet[str],
    ingesting: ingest.Ingest,
    progress: Progress,
) -> AsyncIterator[Row]:
    """Yield the figures of one namespace that holds everything."""
    name = name_of(scale.messages)
    async with namespace(bench, name) as client:
        await load(client, scale.messages, progress=progress)
        await _wait_until_done(bench, [name], progress)
        if "disk_per_message" in figures:
            yield await asyncio.to_thread(resources.disk, bench, scale.messages)
        for id_, figure in _figures(bench, client, name, scale, figures).items():
            if id_ in figures:
                progress(id_, 0, 1)
                yield await figure()
        async for row in _ingested(ingesting, scale, figures, progress):
            yield row


def _figures(
    bench: BenchStack, client: Client, name: str, scale: Scale, figures: AbstractSet[str]
) -> dict[str, Figure]:
    asked = queries(scale.queries, scale.messages)
    # Everword indexes a code as two words. PostgreSQL's parser, which the exhaustive search uses, reads its digits as a
    # negative number, which no passage contains.
    judged = [query for query in queries(scale.judged, scale.messages) if "inv-" not in query]
    sizes = scopes(scale.messages)
    of = scale.messages
    hybrid = searches.hybrid_id(of, figures)
    modes: dict[str, Figure] = {
        id_: partial(searches.measure_mode, bench, client, of, id_, asked) for id_ in searches.MODES
    }
    return {
        hybrid: lambda: searches.hybrid(bench, client, hybrid, of, asked),
        **modes,
        "search_selective": lambda: searches.selective(bench, client, of, sizes[:2], asked),
        "browse": lambda: searches.browse(bench, client, of, scale.queries),
        "context_100k": lambda: searches.context(bench, client, of, asked),
        "search_load_100k": lambda: sustained_rate.measure(bench, name, of, asked, scale.seconds),
        "lexical_exact_1m": lambda: exact.lexical(bench, client, name, of, judged),
        "semantic_recall": lambda: exact.semantic(bench, client, name, of, sizes, asked),
        "embed_drain": lambda: drain.measure(bench, client, of, asked, 2 * scale.seconds),
        "search_under_changes": lambda: changes.measure(bench, client, name, of, asked),
    }


async def _ingested(
    ingesting: ingest.Ingest, scale: Scale, figures: AbstractSet[str], progress: Progress
) -> AsyncIterator[Row]:
    """Yield the figures of ingest into full tables."""
    measured: dict[str, ingest.IngestTimes] = {}
    for id_, (batch, callers) in ingest.SHAPES.items():
        grows = id_ == "ingest_b100_c4" and ingesting.empty is not None
        if id_ not in figures and not grows:
            continue
        progress(id_, 0, 1)
        measured[id_] = await ingesting.measure(batch, callers)
        if id_ == "ingest_b1":
            yield ingest.single(scale.messages, measured[id_])
        elif id_ in figures:
            yield ingest.throughput(id_, scale.messages, measured[id_])
    if ingesting.empty is not None:
        yield ingest.growth(scale.messages, ingesting.empty, measured["ingest_b100_c4"])


async def _in_many(bench: BenchStack, scale: Scale, progress: Progress) -> Row:
    """Return the figure of as many namespaces as make up the scale together."""
    size = scale.namespace_size
    number = max(2, scale.messages // NAMESPACE_SIZE)
    names = [name_of(scale.messages, f"{at}-of-{number}") for at in range(number)]
    each = max(2, scale.queries // number)
    async with AsyncExitStack() as opened:
        clients = []
        for at, name in enumerate(names):
            progress("loading namespaces", at, number)
            client = await opened.enter_async_context(namespace(bench, name))
            await load(client, size, _STREAM + at)
            clients.append(client)
        await _wait_until_done(bench, names, progress)
        progress("search_hybrid_1000x1000", 0, 1)
        asked = [queries(each, size, _STREAM + at) for at in range(number)]
        return await searches.many(bench, clients, scale.messages, asked)


async def _wait_until_done(bench: BenchStack, names: list[str], progress: Progress) -> None:
    """Wait for the background, and bring statistics up to date, so that none is made in the midst of a measurement."""
    await drained(bench, names, progress)

    def analyse() -> None:
        with bench.connect() as conn:
            conn.execute("ANALYZE")
            conn.execute("CHECKPOINT")

    await asyncio.to_thread(analyse)


def document(commit: str | None, machine: dict[str, Any], rows: list[Row]) -> dict[str, Any]:
    return {"commit": commit, "machine": machine, "rows": [row.document() for row in rows]}

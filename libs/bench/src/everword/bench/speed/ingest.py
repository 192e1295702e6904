"""Acknowledged ingest, compared with COPY of the same rows in the same batches from as many callers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.copies import copy_rows
from everword.bench.speed.corpus import CorpusConversation, conversations
from everword.bench.speed.load import append, scratch
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.timers import Times, closed_loop

COPY = "COPY of the same rows"
#: Messages in a batch, and callers, by id; without growth.
SHAPES = {
    "ingest_b100_c4": (100, 4),
    "ingest_b1": (1, 1),
    "ingest_b100_c1": (100, 1),
    "ingest_b100_c16": (100, 16),
    "ingest_b1000_c4": (1000, 4),
}
#: Streams of corpora from here on are for ingest alone.
_STREAM = 1_000_000
_WARM_UP = 4
#: Smallest number of calls for a figure.
LEAST_CALLS = 20


@dataclass
class IngestTimes:
    """Times of a run of ingest, and of its floor."""

    messages: int
    #: Messages in the tables before.
    stored: int
    ingest: Times
    copy: Times
    tables: Sequence[str]

    @property
    def rate(self) -> float:
        """Messages a second."""
        return self.messages / self.ingest.wall_s

    @property
    def floor(self) -> float:
        return self.messages / self.copy.wall_s


@dataclass
class Ingest:
    """Measures ingest; every run in a namespace of its own, which is erased again."""

    bench: BenchStack
    #: The messages of one run, if these are calls enough.
    messages: int
    _streams: Iterator[int] = field(default_factory=lambda: iter(range(_STREAM, 2 * _STREAM)))
    #: Ingest while the tables were empty, for its growth.
    empty: IngestTimes | None = None

    async def measure(self, batch: int, callers: int) -> IngestTimes:
        """Ingest in batches, each a conversation of its own, and then copy the same rows."""
        size, number = self.calls(batch, callers)
        warm_up = list(self._batches(_WARM_UP, size))
        batches = list(self._batches(number, size))
        name = f"ingest-b{batch}-c{callers}"
        stored = await asyncio.to_thread(_stored, self.bench)
        async with (
            scratch(self.bench, f"{name}-warm") as (warm, _),
            scratch(self.bench, name) as (timed, source),
            scratch(self.bench, f"{name}-copy") as (_, target),
        ):
            await closed_loop(lambda each: append(warm, each), warm_up)
            # The pending vectors are another measurement.
            with self.bench.paused("embedder-worker"):
                times = await closed_loop(lambda each: append(timed, each), batches, callers)
                copy, tables = await asyncio.to_thread(
                    copy_rows, self.bench, source, target, size, callers
                )
        return IngestTimes(number * size, stored, times, copy, tables)

    def calls(self, batch: int, callers: int) -> tuple[int, int]:
        """Return how many messages a call has, and how many calls there are."""
        size = min(batch, max(1, self.messages // callers))
        number = self.messages // size if batch > 1 else self.messages // 8
        return size, max(callers, LEAST_CALLS, number)

    def _batches(self, number: int, size: int) -> Iterator[CorpusConversation]:
        """Yield conversations to append: whole ones, or one message each if `size` is 1."""
        stream = next(self._streams)
        if size > 1:
            return conversations(number * size, stream, size)
        return (
            CorpusConversation(whole.number, (message,))
            for whole in conversations(number, stream)
            for message in whole.messages
        )


def _stored(bench: BenchStack) -> int:
    with bench.connect() as conn:
        [messages] = conn.execute("SELECT count(*) FROM messages").fetchone() or (0,)
    return int(messages)


def throughput(id_: str, scale: int, measured: IngestTimes) -> Row:
    """Return messages a second."""
    return Row(
        id_, scale, measured.rate, "messages/s", Floor(measured.floor, COPY), _details(measured)
    )


def single(scale: int, measured: IngestTimes) -> Row:
    """Return the median of an append of one message."""
    floor = Floor(measured.copy.ms(0.5), f"{COPY}, p50")
    return Row("ingest_b1", scale, measured.ingest.ms(0.5), "ms", floor, _details(measured))


def growth(scale: int, empty: IngestTimes, full: IngestTimes) -> Row:
    """Return the cost of a message in full tables divided by its cost in empty ones."""
    floor = Floor(empty.floor / full.floor, f"the same for {COPY}")
    details = {"empty": _details(empty), "full": _details(full)}
    return Row("ingest_growth", scale, empty.rate / full.rate, "×", floor, details)


def _details(measured: IngestTimes) -> dict[str, Any]:
    return {
        "messages": measured.messages,
        "stored": measured.stored,
        "messages_per_s": round(measured.rate, 1),
        "copy_messages_per_s": round(measured.floor, 1),
        **measured.ingest.details(),
        "copied": list(measured.tables),
    }

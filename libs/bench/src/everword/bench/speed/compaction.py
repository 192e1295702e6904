"""Summaries by one worker: with a language model, compared with that model alone, and without, compared with the
composer alone.

No embedder runs meanwhile, so nodes are composed without vectors.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from everword.bench.speed import stub
from everword.bench.speed.bench_stack import POLL_S, BenchStack
from everword.bench.speed.composer import measure_composition
from everword.bench.speed.corpus import CorpusConversation, conversations
from everword.bench.speed.load import CALLERS, MAX_WAIT_SECONDS, Progress, append, scratch
from everword.bench.speed.nodes import Nodes, due_jobs, read_nodes
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.timers import closed_loop
from everword.bench.speed.worker import WorkerProcess, compact_worker, separate_ingest
from everword.domain.compaction import CompactionSettings

#: Answers per second: more than models write summaries, so that the worker's own cost is visible.
RATE = 20.0
#: Length of the queue: seconds of the stub's work, and messages if there is no stub.
SECONDS, MOST_MESSAGES = 8.0, 2_000
#: One conversation is so long that it gets leaves, branches and a root.
LONG = 240
_STREAM = 5_000_000
_LEAF = CompactionSettings.after_messages


@dataclass(frozen=True)
class DrainedBacklog:
    """The result of a worker on a backlog."""

    nodes: Nodes
    seconds: float
    #: Chat requests that the stub received meanwhile.
    asked: Sequence[Mapping[str, Any]]

    @property
    def rate(self) -> float:
        """Messages a second."""
        return self.nodes.messages / self.seconds

    def row(self, id_: str, scale: int, alone_s: float, of: str, **details: Any) -> Row:
        floor = Floor(self.nodes.messages / alone_s, of)
        # The worker's own time, which does not depend on the model's speed.
        own_ms = 1000 * (self.seconds - alone_s) / len(self.nodes.all)
        told = {**self.nodes.details(), "own_ms_per_node": round(own_ms, 3), **details}
        return Row(id_, scale, self.rate, "messages/s", floor, told)


async def measure(
    bench: BenchStack, scale: int, wanted: AbstractSet[str], seconds: float, progress: Progress
) -> AsyncIterator[Row]:
    """Yield the wanted figures of compaction. Raises RuntimeError where the worker did not do all of it."""
    figures = {"compact_drain": _drain, "compact_extractive": _extractive}
    if not wanted & figures.keys():
        return
    progress("an Everword for compaction", 0, 1)
    async with separate_ingest(bench) as own:
        for id_, figure in figures.items():
            if id_ in wanted:
                progress(id_, 0, 1)
                yield await figure(own, scale, seconds)


async def _drain(bench: BenchStack, scale: int, seconds: float) -> Row:
    """Return the rate of a worker with a language model of a known speed."""
    corpus = _backlog(min(scale, int(RATE * min(seconds, SECONDS) * _LEAF)))
    model = {"EVERWORD_CHAT_URL": bench.stub_url, "EVERWORD_CHAT_MODEL": stub.CHAT_MODEL}
    async with bench.paced(answers=RATE):
        done = await _compacted(bench, corpus, model)
        alone_s = await _time_sequential_requests(bench, done.asked)
    return done.row("compact_drain", scale, alone_s, "the stub alone", requests=len(done.asked))


async def _extractive(bench: BenchStack, scale: int, seconds: float) -> Row:
    """Return the rate of a worker that chooses sentences."""
    done = await _compacted(bench, _backlog(min(scale, MOST_MESSAGES)), {})
    alone_s, same = await asyncio.to_thread(measure_composition, done.nodes.all)
    return done.row("compact_extractive", scale, alone_s, "the composer alone", composed_same=same)


def _backlog(messages: int) -> list[CorpusConversation]:
    long = next(conversations(LONG, _STREAM, LONG))
    # Both corpora count their conversations from 0.
    return [replace(long, number=messages), *conversations(messages, _STREAM + 1)]


async def _compacted(
    bench: BenchStack, corpus: Sequence[CorpusConversation], model: Mapping[str, str]
) -> DrainedBacklog:
    """Put a backlog before a worker that has done its first job already, and wait until nothing of it is due."""
    with compact_worker(bench, model) as worker:
        async with scratch(bench, "compact-warm") as (warm, name):
            await append(warm, next(conversations(_LEAF, _STREAM + 2, _LEAF)))
            await _drained(worker, name)
        async with scratch(bench, "compact") as (filled, name):
            await bench.asked()
            with worker.paused():
                await closed_loop(lambda each: append(filled, each), corpus, CALLERS)
                # Jobs would wait for the vectors of messages, which nothing makes here.
                with bench.connect() as conn:
                    conn.execute("DELETE FROM embedding_queue")
            elapsed_s = await _drained(worker, name)
            asked = await bench.asked()
            with bench.connect() as conn:
                nodes = read_nodes(conn, name)
        due = sum(len(each.messages) // _LEAF * _LEAF for each in corpus)
        if nodes.messages != due:
            raise worker.failure(f"{nodes.messages} of {due} messages were summed up")
    return DrainedBacklog(nodes, elapsed_s, asked)


async def _drained(worker: WorkerProcess, namespace: str) -> float:
    """Wait until no conversation is due there, and return the seconds that took. Raises RuntimeError."""
    started = moved = time.monotonic()
    before = -1
    with worker.bench.connect() as conn:
        while due := due_jobs(conn, namespace):
            worker.check()
            now = time.monotonic()
            if due != before:
                before, moved = due, now
            elif now - moved > MAX_WAIT_SECONDS:
                raise worker.failure(
                    f"{due} conversations wait, and none was summed up for a while"
                )
            await asyncio.sleep(POLL_S)
    return time.monotonic() - started


async def _time_sequential_requests(bench: BenchStack, asked: Sequence[Mapping[str, Any]]) -> float:
    """Return the seconds that the stub needs for the same requests, one after the other as a worker sends them."""
    async with httpx2.AsyncClient(base_url=bench.stub_url, timeout=60, trust_env=False) as http:
        started = time.perf_counter()
        for body in asked:
            (await http.post("/v1/chat/completions", json=body)).raise_for_status()
        return time.perf_counter() - started

"""One trace connects the caller of a write with the queue, the worker and the model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from queue import SimpleQueue

import pytest
from opentelemetry import propagate, trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer
from rq.timeouts import TimerDeathPenalty
from rq.worker import SimpleWorker

from everword.db.blocking import BlockingDatabase
from everword.domain.settings import NO_SECRET
from everword.jobs import worker as job_worker
from everword.jobs.task import Task, queue_name
from everword_embedder.queue.drain import Drain
from everword_embedder.queue.remote import RemoteEmbedder
from support.calls import append
from support.databases import DatabaseUnderTest
from support.spans import trace_of
from support.stack import Stack, running_stack
from support.waits import until

QUEUE = queue_name("embed")
#: Spans of a write, each a child of the one before, except the sending of the wake-up, for which nothing waits.
WAY = (
    "caller",
    "everword.v1.IngestService/AppendMessages",
    "process embed",
    "everword.internal.v1.EmbedderService/Embed",
    "embeddings minilm-e5",
)


class ThreadWorker(SimpleWorker):
    """RQ's worker in a thread, which cannot receive signals."""

    death_penalty_class = TimerDeathPenalty

    def _install_signal_handlers(self) -> None:
        """Install none."""


@pytest.fixture
def redis(valkey_url: str) -> Iterator[Redis]:
    with Redis.from_url(valkey_url) as client:
        client.flushall()
        yield client


def take_wake_ups(stack: Stack, redis: Redis, redis_url: str) -> None:
    """Execute jobs like a worker process until no wake-up is left."""
    database = BlockingDatabase(stack.database.settings("embedder"), "embedder")
    database.open()
    with (
        closing(database),
        closing(RemoteEmbedder(stack.addresses["embedder"], NO_SECRET)) as model,
    ):
        task = Task("embed", Drain(database, model).run)
        worker = job_worker.Worker(database, task)
        thread = job_worker._TaskThread(worker, redis_url, lambda: None, SimpleQueue())
        job_worker._threads.current = thread
        queue = Queue(QUEUE, connection=redis, serializer=JSONSerializer)
        try:
            ThreadWorker([queue], connection=redis, serializer=JSONSerializer).work(burst=True)
        finally:
            job_worker._threads.current = None


async def traced_append(stack: Stack, text: str) -> None:
    with trace.get_tracer("caller").start_as_current_span("caller"):
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        await append(stack, text, metadata=tuple(carrier.items()))


def pending(database: DatabaseUnderTest) -> int:
    with database.connect() as conn:
        [count] = conn.execute("SELECT count(*) FROM embedding_queue").fetchone() or (0,)
    return int(count)


def ancestors(span: ReadableSpan, traced: list[ReadableSpan]) -> list[str]:
    """Return the names of the spans above a span, the nearest first."""
    by_id = {other.context.span_id: other for other in traced if other.context}
    names = []
    while span.parent:
        span = by_id[span.parent.span_id]
        names.append(span.name)
    return names


async def test_trace_of_append_extends_to_embedding_model(
    database: DatabaseUnderTest,
    valkey_url: str,
    redis: Redis,
    spans: InMemorySpanExporter,
) -> None:
    async with running_stack(database, redis_url=valkey_url, embedder=False) as stack:
        await traced_append(stack, "The cutover moves to Thursday.")
        await until(lambda: redis.llen(f"rq:queue:{QUEUE}") == 1)
        await asyncio.to_thread(take_wake_ups, stack, redis, valkey_url)
    assert pending(database) == 0
    traced = trace_of(spans.get_finished_spans(), "caller")
    by_name = {span.name: span for span in traced}
    assert {*WAY, "send embed", "claim_pending", "complete_pending", "store_halfvecs"} <= set(
        by_name
    )
    deepest = ancestors(by_name[WAY[-1]], traced)
    assert [name for name in deepest if name in WAY] == [*reversed(WAY[:-1])]
    assert "process embed" in ancestors(by_name["store_halfvecs"], traced)
    kinds = [by_name[name].kind for name in ("send embed", "process embed", WAY[-1])]
    assert kinds == [SpanKind.PRODUCER, SpanKind.CONSUMER, SpanKind.CLIENT]


async def test_second_attempt_has_own_trace_linked_to_append(
    database: DatabaseUnderTest,
    valkey_url: str,
    redis: Redis,
    spans: InMemorySpanExporter,
) -> None:
    async with running_stack(database, redis_url=valkey_url, embedder=False) as stack:
        await traced_append(stack, "The cutover moves to Friday.")
        await until(lambda: redis.llen(f"rq:queue:{QUEUE}") == 1)
        with database.connect() as conn:
            conn.execute("UPDATE jobs SET attempts = 1")
        await asyncio.to_thread(take_wake_ups, stack, redis, valkey_url)
    assert pending(database) == 0
    finished = spans.get_finished_spans()
    traced = trace_of(finished, "caller")
    [attempt] = [span for span in finished if span.name == "process embed"]
    assert attempt not in traced
    assert attempt.parent is None
    written = {span.context.trace_id for span in traced if span.context}
    assert {link.context.trace_id for link in attempt.links} == written

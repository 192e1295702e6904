"""RQ, behind two functions: nothing else of Everword knows it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from threading import Event

from opentelemetry import propagate, trace
from opentelemetry.trace import Link, Span, SpanKind
from redis import Redis
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.exceptions import OutOfMemoryError
from redis.retry import Retry
from rq import Queue
from rq.exceptions import InvalidJobOperation, StopRequested
from rq.job import Job
from rq.queue import EnqueueData
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.timeouts import TimerDeathPenalty
from rq.worker import SimpleWorker

from everword.jobs.store import Publication
from everword.jobs.task import queue_name
from everword.telemetry import names
from everword.telemetry.tracing import tracer

#: Name of the function that RQ calls in a worker.
EXECUTE = "everword.jobs.worker.execute"
#: How often a worker tries to reach Redis within one command, with pauses up to 5 s: a restart of Redis ends no worker.
WORKER_RETRIES = 12
#: A wake-up that no worker took in this time is dropped, and sent again.
WAKE_UP_TTL_S = 3600
#: Wake-ups that are read at once, to find those whose time ran out.
_CHECKED = 100


def connect(url: str) -> Redis:
    """Return a client that reports an unreachable server at once; the callers have their own retries."""
    return Redis.from_url(
        url, retry=Retry(NoBackoff(), 0), socket_connect_timeout=2.0, socket_timeout=10.0
    )


def connect_with_retries(url: str) -> Redis:
    """Return a client of workers: it waits for a server that is away, or has no memory left, for about a minute."""
    # RQ blocks on the socket for minutes while nothing is due, so no socket time-out here.
    patience = Retry(ExponentialBackoff(cap=5.0, base=0.1), WORKER_RETRIES)
    return Redis.from_url(url, retry=patience, retry_on_error=[OutOfMemoryError])


def enqueue(redis: Redis, publications: Sequence[Publication]) -> None:
    """Send wake-ups, in one round trip a task. Raises redis.RedisError; some may have been sent then."""
    for task in sorted({publication.task for publication in publications}):
        queue = Queue(queue_name(task), connection=redis, serializer=JSONSerializer)
        due = [publication for publication in publications if publication.task == task]
        with _send_span(task, due):
            queue.enqueue_many(_wake_up(publication) for publication in due)


def _wake_up(publication: Publication) -> EnqueueData:
    return Queue.prepare_data(
        EXECUTE,
        kwargs={
            "namespace_id": publication.namespace_id,
            "job_id": publication.job_id,
            "fence": publication.fence,
        },
        job_id=f"{publication.job_id}-{publication.fence}",
        # Results, failures and retries live in Postgres; time is limited by the lease.
        result_ttl=0,
        failure_ttl=0,
        ttl=WAKE_UP_TTL_S,
        timeout=-1,
    )


def count_waiting(redis: Redis, task: str) -> int:
    """Return the number of wake-ups of a task that wait for a worker. Raises redis.RedisError.

    Expired ones are the first in the queue, and are removed: a worker would drop them one by one, and a queue without
    workers would grow forever.
    """
    queue = Queue(queue_name(task), connection=redis, serializer=JSONSerializer)
    while ids := queue.get_job_ids(0, _CHECKED):
        wake_ups = Job.fetch_many(ids, connection=redis, serializer=JSONSerializer)
        gone = [id_ for id_, wake_up in zip(ids, wake_ups, strict=True) if wake_up is None]
        with redis.pipeline(transaction=False) as pipeline:
            for id_ in gone:
                pipeline.lrem(queue.key, 1, id_)
            pipeline.execute()
        if len(gone) < len(ids):
            break
    return int(queue.count)


def _send_span(task: str, due: Sequence[Publication]) -> AbstractContextManager[Span]:
    """Return a span in the trace of the first write that the wake-ups are of, linked to the others."""
    written = [propagate.extract(publication.trace_context or {}) for publication in due]
    return tracer().start_as_current_span(
        f"send {task}",
        context=written[0],
        kind=SpanKind.PRODUCER,
        links=[Link(trace.get_current_span(context).get_span_context()) for context in written[1:]],
        attributes={
            names.MESSAGING_SYSTEM: "rq",
            names.MESSAGING_DESTINATION: queue_name(task),
            names.MESSAGING_BATCH_COUNT: len(due),
        },
    )


class _ThreadWorker(SimpleWorker):
    """Serves the queue of one task in a thread of its own: signals belong to the main thread."""

    # The default one limits times by signals. Jobs have no limit here: their leases do.
    death_penalty_class = TimerDeathPenalty

    def __init__(self, redis: Redis, task: str, stopping: Event) -> None:
        super().__init__(
            [Queue(queue_name(task), connection=redis, serializer=JSONSerializer)],
            connection=redis,
            serializer=JSONSerializer,
            log_job_description=False,
            disable_default_exception_handler=True,
        )
        self._stopping = stopping

    def _install_signal_handlers(self) -> None:
        """Install none."""

    def subscribe(self) -> None:
        """Subscribe to no commands: each takes a thread and a connection, and none is ever sent."""

    def handle_job_success(
        self, job: Job, queue: Queue, started_job_registry: StartedJobRegistry
    ) -> None:
        try:
            super().handle_job_success(job, queue, started_job_registry)
        except InvalidJobOperation:
            # The wake-up was sent twice. Another worker took it meanwhile, and deleted its data.
            with self.connection.pipeline() as pipeline:
                self.cleanup_execution(job, pipeline)
                pipeline.delete(job.key)
                pipeline.execute()

    def execute_job(self, job: Job, queue: Queue) -> None:
        super().execute_job(job, queue)
        if self._stopping.is_set():
            raise StopRequested


def work(url: str, task: str, stopping: Event) -> None:
    """Take wake-ups of a task in this thread, and return after the first job that ends while `stopping` is set.

    While there is no wake-up, it waits for one whatever happens. It also returns if Redis is away for too long.
    """
    # No fork: jobs are coarse and hold a lease, and a fork for each costs 65-80 ms.
    _ThreadWorker(connect_with_retries(url), task, stopping).work(logging_level="WARNING")

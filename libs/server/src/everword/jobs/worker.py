"""Runs jobs, and maintains their state, trace, logs and metrics."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from queue import SimpleQueue

import redis
from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind, StatusCode

from everword.db.blocking import BlockingDatabase, Connection
from everword.jobs import queue, store
from everword.jobs.heartbeat import Heartbeat
from everword.jobs.publisher import send
from everword.jobs.store import JobKey, StartedJob
from everword.jobs.task import (
    MAX_ATTEMPTS,
    DependencyUnavailable,
    JobRun,
    LeaseLost,
    PermanentFailure,
    Task,
    queue_name,
)
from everword.processes.heap import collect_regularly
from everword.telemetry import names
from everword.telemetry.tracing import counter, duration_histogram, tracer

log = logging.getLogger(__name__)
#: Length of a stored error; the log has all of it.
ERROR_CHARS = 2000
#: Seconds for which a worker that ends waits for RQ to forget its last wake-up.
_BOOKKEEPING_S = 2.0


class Worker:
    """Executes the jobs of one task, those of one namespace in turn with those of others."""

    def __init__(
        self,
        database: BlockingDatabase,
        task: Task,
        connection: redis.Redis | None = None,
        hung: Callable[[], object] = lambda: None,
    ) -> None:
        """With a connection to Redis it sends the wake-ups of jobs that it leaves due; without one, publishers do.

        `hung` is called where a job was given up for its time and still does not end.
        """
        self._database = database
        self.task = task
        self._redis = connection
        self._hung = hung
        #: The namespace whose turn was last.
        self._last_turn = 0

    def execute_next(self, key: JobKey) -> str | None:
        """Run the next job in turn, or the one named by the wake-up if no other was sent; returns the result of
        `execute`.
        """
        with self._database.connection() as conn:
            job = self._start_next(conn, key)
        return self._execute(job) if job else None

    def execute(self, key: JobKey) -> str | None:
        """Run a job if it is due, and return its new state; None if it was not run or its result was discarded."""
        with self._database.connection() as conn:
            job = store.start_job(conn, key, self.task.lease_s)
        return self._execute(job) if job else None

    def _start_next(self, conn: Connection, key: JobKey) -> StartedJob | None:
        lease_s = self.task.lease_s
        job = self._start_in_turn(conn) or store.start_job(conn, key, lease_s)
        # A write holds the jobs that it marks until it ends, and this may be the last wake-up there is: so it waits.
        while job is None and (held := store.find_startable(conn, self.task.name)) is not None:
            job = store.start_job(conn, held, lease_s)
        if job:
            self._last_turn = job.namespace_id
        return job

    def _start_in_turn(self, conn: Connection) -> StartedJob | None:
        """Start an unlocked job of the next namespace in turn; None if no namespace has one."""
        examined: set[int] = set()
        turn = store.next_turn(conn, self.task.name, self._last_turn)
        while turn is not None and turn not in examined:
            job = store.start_next(conn, turn, self.task.name, self.task.lease_s)
            if job:
                return job
            examined.add(turn)
            turn = store.next_turn(conn, self.task.name, turn)
        return None

    def _execute(self, job: StartedJob) -> str | None:
        started = time.perf_counter()
        outcome = "lost"
        written = propagate.extract(job.trace_context or {})
        with tracer().start_as_current_span(
            f"process {job.task}",
            # The first attempt belongs to the trace of the write; later ones have their own trace with a link to it.
            context=written if job.attempts == 1 else Context(),
            kind=SpanKind.CONSUMER,
            links=_links(written) if job.attempts > 1 else None,
            attributes={
                names.MESSAGING_SYSTEM: "rq",
                names.MESSAGING_DESTINATION: queue_name(job.task),
                names.MESSAGING_MESSAGE_ID: f"{job.job_id}-{job.fence}",
            },
        ) as span:
            outcome = self._attempt(job) or "lost"
            if outcome not in {"done", "pending"}:
                span.set_status(StatusCode.ERROR)
        attributes = {
            names.MESSAGING_DESTINATION: queue_name(job.task),
            names.JOB_OUTCOME: outcome,
        }
        duration_histogram(names.PROCESS_DURATION).record(time.perf_counter() - started, attributes)
        counter(names.JOBS, "{job}").add(1, attributes)
        return None if outcome == "lost" else outcome

    def _attempt(self, job: StartedJob) -> str | None:
        overdue = partial(self._fail, job)
        try:
            with Heartbeat(self._database, self.task, job, overdue, self._hung) as heart:
                other_namespaces_wait = partial(self._other_namespaces_wait, job)
                again_at = self.task.run(
                    JobRun(job, heart.advance, heart.check, other_namespaces_wait)
                )
        except LeaseLost:
            log.warning("job.lease_lost", extra={"task": job.task, "job_id": job.job_id})
            return None
        except DependencyUnavailable as error:
            log.warning("job.postponed", extra={"task": job.task, "error": str(error)})
            pause_s = self.task.away_s if error.pause_s is None else error.pause_s
            with self._database.connection() as conn:
                return store.postpone_job(conn, job, str(error)[:ERROR_CHARS], pause_s)
        except Exception as error:  # the edge of the process: every failure is an attempt
            # The job is retried: an outage, or an erasure of its subject, needs no attention.
            log.warning("job failed", exc_info=True, extra={"task": job.task, "job_id": job.job_id})
            return self._fail(job, error)
        with self._database.connection() as conn:
            state = store.finish_job(conn, job, again_at)
        if state == "pending":
            self._resend_wake_up(job)
        return state

    def _resend_wake_up(self, job: StartedJob) -> None:
        """Send the wake-up of a job that is due again already. Where Redis is away, a publisher does it later."""
        if self._redis is None:
            return
        with self._database.connection() as conn:
            publication = store.republish_due(conn, job.key)
        try:
            send(self._database, self._redis, [publication] if publication else [])
        except redis.RedisError as error:
            log.warning("Redis unavailable, wake-ups delayed", extra={"error": str(error)})

    def _fail(self, job: StartedJob, error: Exception) -> str | None:
        # A note names the step that failed.
        notes = getattr(error, "__notes__", [])
        text = ": ".join([*notes, type(error).__name__, str(error)])[:ERROR_CHARS]
        with self._database.connection() as conn:
            state = store.fail_job(
                conn,
                job,
                text.replace("\0", "�"),
                final=isinstance(error, PermanentFailure),
                max_attempts=MAX_ATTEMPTS,
                pause_s=self.task.pause_after(job.attempts),
            )
        if state == "failed":
            extra = {"task": job.task, "job_id": job.job_id}
            log.error("job given up until `everword retry-failed`", exc_info=error, extra=extra)
        return state

    def _other_namespaces_wait(self, job: StartedJob) -> bool:
        with self._database.connection() as conn:
            return store.other_namespaces_wait(conn, job)


def _links(written: Context) -> list[Link]:
    """Return a link to the write that made a job due."""
    context = trace.get_current_span(written).get_span_context()
    return [Link(context)] if context.is_valid else []


class _TaskThread:
    """Takes the wake-ups of one task, so that no task waits for a slow job of another one."""

    def __init__(
        self,
        worker: Worker,
        redis_url: str,
        before_job: Callable[[], None],
        ended: SimpleQueue[None],
    ) -> None:
        """`ended` gets an item when the thread ends."""
        self._worker = worker
        self._redis_url = redis_url
        self._before_job = before_job
        self._ended = ended
        self._stopping = threading.Event()
        #: Held while a job is at hand.
        self._busy = threading.Lock()
        # A thread without a job waits for Redis, and the process must not wait for that.
        self._thread = threading.Thread(target=self._run, name=worker.task.name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def execute(self, key: JobKey) -> None:
        """Do the job whose turn it is, unless the process is about to end."""
        with self._busy:
            if not self._stopping.is_set():
                self._before_job()
                self._worker.execute_next(key)

    def request_stop(self) -> None:
        """Let the job at hand be the last one."""
        self._stopping.set()

    def wait_for_job(self) -> None:
        """Wait for the end of the job at hand, if there is one, after `request_stop`."""
        was_busy = not self._busy.acquire(blocking=False)
        if was_busy:
            self._busy.acquire()
            # RQ removes its data of the wake-up from Redis; it expires if Redis is unavailable.
            self._thread.join(timeout=_BOOKKEEPING_S)
        self._busy.release()

    def _run(self) -> None:
        _threads.current = self
        try:
            queue.work(self._redis_url, self._worker.task.name, self._stopping)
        finally:
            self._ended.put(None)


class _Threads(threading.local):
    #: The task of the thread; None in a thread that serves none.
    current: _TaskThread | None = None


_threads = _Threads()


def execute(job_id: int, fence: int, namespace_id: int = 0) -> None:
    """Run the next job in turn. RQ calls this by name; the fencing token only makes the wake-up's id unique.

    A wake-up of the previous release has no namespace, and starts waiting jobs only.
    """
    if _threads.current is None:
        raise RuntimeError("this thread serves no task")
    _threads.current.execute(JobKey(namespace_id, job_id))


def _end_process() -> None:
    """End the process at once. Nothing else ends a hanging call, and the supervisor restarts the worker."""
    log.critical("worker hangs")
    os._exit(1)


def run_worker(
    database: BlockingDatabase,
    redis_url: str,
    tasks: Sequence[Task],
    before_job: Callable[[], None] = lambda: None,
) -> None:
    """Take wake-ups of `tasks`, each in a thread of its own, until SIGTERM; then finish the jobs at hand.

    A second signal ends the process at once. `before_job` is called before each job, and may wait for some seconds.
    Call it from the main thread.
    """
    # A SimpleQueue is safe in a signal handler: `put` can interrupt a `get` of the same thread.
    ended: SimpleQueue[None] = SimpleQueue()
    with closing(queue.connect(redis_url)) as connection:
        threads = [
            _TaskThread(
                Worker(database, task, connection, _end_process), redis_url, before_job, ended
            )
            for task in tasks
        ]
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.put(None))
        collect_regularly()
        for thread in threads:
            thread.start()
        log.info("worker started", extra={"tasks": [task.name for task in tasks]})
        # A thread that fails ends the process as well, which the supervisor restarts.
        ended.get()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        for thread in threads:
            thread.request_stop()
        for thread in threads:
            thread.wait_for_job()

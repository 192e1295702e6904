"""Keeps the lease of a job while its function runs, whatever that is busy with."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from types import TracebackType

import psycopg

from everword.db.blocking import BlockingDatabase
from everword.jobs import store
from everword.jobs.store import StartedJob
from everword.jobs.task import LeaseLost, Task

log = logging.getLogger(__name__)
#: Beats within a lease: some may fail.
BEATS = 4


class StepTooLong(Exception):
    """A step of a job took longer than any may take."""


class Heartbeat:
    """A thread that beats a job's lease until the job ends, is lost, or is at one step for too long.

    A process that is stopped or killed beats no more, and one whose interpreter is held by a single call neither: both
    lose the lease, as they should.
    """

    def __init__(
        self,
        database: BlockingDatabase,
        task: Task,
        job: StartedJob,
        overdue: Callable[[StepTooLong], object],
        hung: Callable[[], object],
    ) -> None:
        """`overdue` is called when a step takes too long, `hung` where the job does not end within a lease then."""
        self._database = database
        self._task = task
        self._job = job
        self._overdue = overdue
        self._hung = hung
        self._ended = threading.Event()
        self._lost = threading.Event()
        self._step_began = time.monotonic()
        # In the trace of the job.
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._run,), name="heartbeat", daemon=True
        )

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def check(self) -> None:
        """Raise LeaseLost if another worker owns the job. The check is cheap."""
        if self._lost.is_set():
            raise LeaseLost

    def advance(self) -> None:
        """Mark a step as done, so that the next one begins. Raises LeaseLost."""
        self.check()
        with self._database.connection() as conn:
            if not store.extend_lease(conn, self._job, self._task.lease_s):
                self._lost.set()
                raise LeaseLost
        self._step_began = time.monotonic()

    def _run(self) -> None:
        while not self._ended.wait(self._task.lease_s / BEATS):
            if time.monotonic() - self._step_began > self._task.step_s:
                self._give_up()
                return
            try:
                with self._database.connection() as conn:
                    retained = store.beat_lease(conn, self._job, self._task.lease_s)
            except psycopg.Error as error:
                # The lease bridges some beats; whether it is held is decided where the result is stored.
                log.warning("heartbeat failed", extra={"error": str(error)})
                continue
            if not retained:
                self._lost.set()
                return

    def _give_up(self) -> None:
        error = StepTooLong(f"a step took longer than {self._task.step_s:g} s")
        log.error("job.step_timed_out", extra={"task": self._task.name, "job_id": self._job.job_id})
        self._lost.set()
        try:
            self._overdue(error)
        except psycopg.Error as failure:
            # Without beats, the sweep takes the job back.
            log.warning("heartbeat failed", extra={"error": str(failure)})
        if not self._ended.wait(self._task.lease_s):
            self._hung()

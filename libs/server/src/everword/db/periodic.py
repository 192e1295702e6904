"""Periodic work of services on the database.

Every replica of a service runs it: a round skips rows that another process works on.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence

import psycopg

from everword.domain.background import end_tasks
from everword.domain.errors import EverwordError

log = logging.getLogger(__name__)
#: Seconds for which `PeriodicThread.stop` waits for the round at hand.
STOP_S = 5.0


class PeriodicTask:
    """Repeats asynchronous rounds on the event loop, each after a pause."""

    def __init__(
        self,
        name: str,
        interval_s: float,
        rounds: Sequence[Callable[[], Awaitable[object]]],
        *,
        first_s: float | None = None,
    ) -> None:
        """`name` appears in the log; `interval_s` is the pause in seconds before each round.

        Before the first round the pause is `first_s` if given.
        """
        self._name = name
        self._interval_s = interval_s
        self._pause_s = interval_s if first_s is None else first_s
        self._rounds = rounds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """Cancel the current round. Does nothing if it was never started."""
        await end_tasks([self._task])

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._pause_s)
            self._pause_s = self._interval_s
            for run in self._rounds:
                try:
                    await run()
                except Exception as error:
                    log_failure(self._name, error)


class PeriodicThread:
    """Repeats blocking rounds in a thread of its own, each after a pause or when it is woken."""

    def __init__(
        self,
        name: str,
        interval_s: float,
        rounds: Sequence[Callable[[], object]],
        *,
        flushes: bool = False,
    ) -> None:
        """`name` appears in the log; `interval_s` is the pause in seconds before each round.

        With `flushes`, `stop` runs them once more.
        """
        self._name = name
        self._interval_s = interval_s
        self._rounds = rounds
        self._flushes = flushes
        self._woken = threading.Event()
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Start the next round now, without a pause. Never blocks."""
        self._woken.set()

    def stop(self) -> None:
        """Wait at most STOP_S for the current round. Does nothing if it was never started."""
        self.stopping.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(timeout=STOP_S)

    def _run(self) -> None:
        while not self.stopping.is_set():
            self._woken.wait(self._interval_s)
            self._woken.clear()
            if self._flushes or not self.stopping.is_set():
                self._run_once()

    def _run_once(self) -> None:
        for run in self._rounds:
            try:
                run()
            except Exception as error:
                log_failure(self._name, error)


def log_failure(name: str, error: Exception) -> None:
    """Log why a round failed, with a traceback unless it is a database error or an error for callers."""
    extra = {"work": name, "error": type(error).__name__}
    if isinstance(error, psycopg.OperationalError):
        # It is about the connection. The message of another error may contain stored text.
        extra["error"] = str(error)
    if isinstance(error, psycopg.Error | EverwordError):
        log.warning("background.round_failed", extra=extra)
    else:
        log.error("background.round_failed", exc_info=error, extra=extra)

"""A thread that looks after background work at a settable interval."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

import psycopg

log = logging.getLogger(__name__)


class Sweeper:
    """Runs rounds until it is stopped. What one process is at, others skip, so every replica may have one."""

    def __init__(self, interval_s: float, rounds: Sequence[Callable[[], object]]) -> None:
        self._interval_s = interval_s
        self._rounds = rounds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish the round at hand, and end. Safe where it was never started."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while not self._stopped.wait(self._interval_s):
            for sweep in self._rounds:
                try:
                    sweep()
                except psycopg.Error as error:
                    log.warning("sweep failed", extra={"error": str(error)})
                except Exception:  # the thread's edge: without it, sweeping would stop for good
                    log.exception("sweep failed")

"""A limit on how often something begins."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock


class Pace:
    """Spaces out what several threads begin: at most `per_minute` a minute, evenly; 0 for no limit."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval_s = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._next = float("-inf")
        self._lock = Lock()

    def take(self) -> float:
        """Take the next turn, and return in how many seconds it is."""
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._interval_s
            return turn - now

    def wait(self, ended: Event) -> None:
        """Wait for the next turn, or until `ended`."""
        ended.wait(self.take())

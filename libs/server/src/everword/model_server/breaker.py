"""Stops requests to a server that does not answer, or that asked for a pause, so that callers do not wait for it."""

from __future__ import annotations

from collections.abc import Callable

#: One lost connection is chance; this many without an answer in between are an outage.
FAILURES = 3
#: How long calls then fail at once, and how often one of them may try whether the server is back.
PAUSE_S = 5.0


class CircuitOpen(Exception):
    """The server is left alone for `retry_after_s` more seconds."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(
            "the model server is left alone for a while: it did not answer lately, or asked for a pause"
        )
        self.retry_after_s = retry_after_s


class CircuitBreaker:
    """Lets calls pass while answers come back, and one in PAUSE_S while they do not."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures = 0
        self._open_until = 0.0

    def enter(self) -> None:
        """Let a call pass, or raise CircuitOpen."""
        left = self._open_until - self._clock()
        if left > 0:
            raise CircuitOpen(left)
        if self._failures < FAILURES:
            return
        # This call tries for all; the others go on failing until it has its answer.
        self._open_until = self._clock() + PAUSE_S

    def answered(self) -> None:
        if self._failures >= FAILURES:
            self._open_until = 0.0
        self._failures = 0

    def failed(self) -> None:
        self._failures += 1
        if self._failures >= FAILURES:
            self.hold(PAUSE_S)

    def hold(self, seconds: float) -> None:
        """Let no call pass for so long."""
        self._open_until = max(self._open_until, self._clock() + seconds)

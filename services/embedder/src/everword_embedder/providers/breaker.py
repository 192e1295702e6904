"""Stops asking a server that does not answer, so that searches do not wait for it one by one."""

from __future__ import annotations

from collections.abc import Callable

from everword_embedder.providers.errors import ProviderUnavailable

#: One lost connection is chance; this many without an answer in between are an outage.
FAILURES = 3
#: How long calls then fail at once, and how often one of them may try whether the server is back.
PAUSE_S = 5.0


class CircuitBreaker:
    """Lets calls pass while answers come back, and one in PAUSE_S while they do not."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures = 0
        self._open_until = 0.0

    def enter(self) -> None:
        """Let a call pass, or raise ProviderUnavailable."""
        if self._failures < FAILURES:
            return
        left = self._open_until - self._clock()
        if left > 0:
            raise ProviderUnavailable(
                "the model server did not answer lately and is not asked", retry_after_s=left
            )
        # This call tries for all; the others go on failing until it has its answer.
        self._open_until = self._clock() + PAUSE_S

    def answered(self) -> None:
        self._failures = 0

    def failed(self) -> None:
        self._failures += 1
        self._open_until = self._clock() + PAUSE_S

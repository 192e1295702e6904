"""What one process knows of a namespace's limits: it counts by itself, and is told of the others now and then."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from everword.domain.quotas import RateLimitReached, StorageLimitReached
from everword.quotas.store import UsageRow

MINUTE_S = 60.0
#: A process tells the others once it has counted so small a part of a limit: each goes over it by no more.
PARTS = 20


class Rate:
    """A limit of a minute, and what is counted of it."""

    def __init__(self, name: str) -> None:
        #: The field of NamespaceLimits.
        self.name = name
        #: 0 is none.
        self.limit = 0
        self._known = 0
        self._sent = 0
        self._own = 0

    @property
    def used(self) -> int:
        return self._known + self._sent + self._own

    @property
    def is_due(self) -> bool:
        """Tell whether the others are to know at once."""
        return self.limit > 0 and self._own >= max(1, self.limit // PARTS)

    def fits(self, amount: int) -> bool:
        """Tell whether so much may be had. More than the whole limit may be had alone."""
        return not self.limit or not self.used or self.used + amount <= self.limit

    def add(self, amount: int) -> None:
        self._own += amount

    def send(self) -> int:
        """Return what the others do not know of."""
        self._sent, self._own = self._own, 0
        return self._sent

    def sent(self, known: int, limit: int) -> None:
        """Take over what all have counted, and the limit."""
        self._known, self._sent, self.limit = known, 0, limit

    def not_sent(self) -> None:
        self._sent, self._own = 0, self._own + self._sent

    def begin(self) -> None:
        """Begin another minute."""
        self._known = self._sent = self._own = 0


class Usage:
    """What a namespace may do, and does, in a process. Without limits until it is told of some."""

    def __init__(self, hurry: Callable[[], None] = lambda: None) -> None:
        self._hurry = hurry
        self._requests = Rate("requests_per_minute")
        self._messages = Rate("messages_per_minute")
        self._most_bytes = 0
        self._bytes = 0
        self._ends = math.inf
        self._minute = 0
        #: Whether there was a call since it was told last.
        self.active = True

    def take_request(self) -> None:
        """Count a call. Raises RateLimitReached."""
        self._take(self._requests, 1)

    @contextmanager
    def taking_messages(self, amount: int) -> Iterator[Callable[[int], None]]:
        """Count messages, which the block stores: all, but for as many as it says were there before.

        Raises RateLimitReached and StorageLimitReached.
        """
        self.check_room()
        self._take(self._messages, amount)
        minute, spared = self._minute, [amount]

        def existed(some: int) -> None:
            spared[0] = some

        try:
            yield existed
        finally:
            if self._minute == minute:
                self._messages.add(-spared[0])

    def check_room(self) -> None:
        """Raise StorageLimitReached where no more text is to be stored."""
        if self._most_bytes and self._bytes >= self._most_bytes:
            raise StorageLimitReached.of(self._most_bytes)

    def send(self) -> tuple[int, int]:
        """Return the requests and messages that the others do not know of."""
        self.active = False
        self._turn()
        return self._requests.send(), self._messages.send()

    def sent(self, row: UsageRow) -> None:
        """Take over the limits, and what all have counted."""
        self._requests.sent(row.requests, row.requests_per_minute)
        self._messages.sent(row.messages, row.messages_per_minute)
        self._most_bytes, self._bytes = row.most_stored_bytes, row.stored_bytes
        ends = time.monotonic() + row.ends_in_s
        self._minute += ends > self._ends + MINUTE_S / 2
        self._ends = ends

    def not_sent(self) -> None:
        self._requests.not_sent()
        self._messages.not_sent()

    def _take(self, rate: Rate, amount: int) -> None:
        self._turn()
        if not rate.fits(amount):
            raise RateLimitReached.of(rate.name, rate.limit, self._ends - time.monotonic())
        rate.add(amount)
        if rate.is_due:
            self._hurry()

    def _turn(self) -> None:
        """Begin another minute where one is over."""
        over = time.monotonic() - self._ends
        if over >= 0:
            self._ends += (over // MINUTE_S + 1) * MINUTE_S
            self._minute += 1
            self._requests.begin()
            self._messages.begin()


_usage: ContextVar[Usage] = ContextVar("everword_usage")


def set_usage(usage: Usage) -> None:
    _usage.set(usage)


def current_usage() -> Usage:
    """Return the usage of the namespace of the current RPC; outside of one, one without limits."""
    return _usage.get(None) or Usage()

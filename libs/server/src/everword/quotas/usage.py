"""A namespace's limits and counts in one server process. Processes add up their counts in Postgres."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from everword.domain.quotas import RateLimitReached, StorageLimitReached
from everword.quotas.store import QuotaUsageRow

MINUTE_S = 60.0
#: Part of a limit that a process may count before it must exchange counts with the other processes.
PARTS = 20
#: Seconds after an exchange until its limits and counts are outdated: the limit may have changed.
OUTDATED_S = 2.0
#: Seconds that a call waits at most for an exchange. After them, the process applies the last known counts.
EXCHANGE_S = 5.0


class Rate:
    """A limit per minute, and its count."""

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
        """Return whether to exchange counts now: at half of the share that may be counted without it."""
        return self.limit > 0 and self._own >= max(1, self._share // 2)

    @property
    def _share(self) -> int:
        """The number that a process may count without an exchange."""
        return max(1, self.limit // PARTS)

    def fits(self, amount: int) -> bool:
        """Return whether `amount` is within the limit; the first amount of a minute always is."""
        return not self.limit or not self.used or self.used + amount <= self.limit

    def may_count(self, amount: int, *, outdated: bool) -> bool:
        """Return whether `amount` can be counted before the next exchange; a single call always can."""
        unknown_to_others = self._sent + self._own
        if unknown_to_others <= 0:
            return True
        return not outdated and (not self.limit or unknown_to_others + amount <= self._share)

    def add(self, amount: int) -> None:
        self._own += amount

    def send(self) -> int:
        """Return the count that other processes have not seen."""
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


class QuotaUsage:
    """The limits and the usage of a namespace in one process.

    A call waits for an exchange of counts if this process has counted others since the last one, beyond its share. So
    each process exceeds a limit by a twentieth at most, however many calls arrive at once.
    """

    def __init__(
        self,
        hurry: Callable[[], None] = lambda: None,
        note_active: Callable[[], None] = lambda: None,
    ) -> None:
        self._hurry = hurry
        self._note_active = note_active
        self._requests = Rate("requests_per_minute")
        self._messages = Rate("messages_per_minute")
        self._most_bytes = 0
        self._bytes = 0
        self._ends = math.inf
        self._minute = 0
        self._exchanged_at = -math.inf
        self._exchanged = asyncio.Event()
        #: True if there was a call since the last exchange.
        self.active = True
        #: True while counts cannot be exchanged. Calls do not wait then, and the last known limits apply.
        self.alone = False

    @property
    def is_outdated(self) -> bool:
        return time.monotonic() - self._exchanged_at > OUTDATED_S

    async def take_request(self) -> None:
        """Count a call. Raises RateLimitReached."""
        await self._take(self._requests, 1)

    def refusal_of_request(self) -> RateLimitReached | None:
        """Return the error of one more call; None if it is within the limit."""
        # The next exchange reads the limit, which may have changed.
        self.active = True
        self._note_active()
        self._turn()
        return None if self._requests.fits(1) else self._refusal(self._requests)

    @asynccontextmanager
    async def taking_messages(self, amount: int) -> AsyncIterator[Callable[[int], None]]:
        """Count messages, which the block stores: all, but for as many as it says were there before.

        Enter it without a database connection: it may wait for an exchange, which needs one.
        Raises RateLimitReached and StorageLimitReached.
        """
        self.check_storage_quota()
        await self._take(self._messages, amount)
        minute, spared = self._minute, [amount]

        def existed(some: int) -> None:
            spared[0] = some

        try:
            yield existed
        finally:
            if self._minute == minute:
                self._messages.add(-spared[0])

    def check_storage_quota(self) -> None:
        """Raise StorageLimitReached if no more text may be stored."""
        if self._most_bytes and self._bytes >= self._most_bytes:
            raise StorageLimitReached.of(self._most_bytes)

    def send(self) -> tuple[int, int]:
        """Return the requests and messages counted since the last exchange."""
        self.active = False
        self._turn()
        return self._requests.send(), self._messages.send()

    def sent(self, row: QuotaUsageRow) -> None:
        """Take over the limits and the counts of all processes."""
        limits, counts = row.limits, row.counts
        self._requests.sent(counts.requests, limits.requests_per_minute)
        self._messages.sent(counts.messages, limits.messages_per_minute)
        self._most_bytes, self._bytes = limits.max_stored_bytes, counts.stored_bytes
        self._exchanged_at = time.monotonic()
        ends = self._exchanged_at + limits.ends_in_s
        self._minute += ends > self._ends + MINUTE_S / 2
        self._ends = ends
        self.alone = False
        self.wake_waiting_calls()

    def not_sent(self) -> None:
        self._requests.not_sent()
        self._messages.not_sent()

    def wake_waiting_calls(self) -> None:
        """Wake the calls that are waiting for an exchange."""
        self._exchanged.set()
        self._exchanged = asyncio.Event()

    async def _take(self, rate: Rate, amount: int) -> None:
        while True:
            self._turn()
            if not rate.fits(amount):
                raise self._refusal(rate)
            if self.alone or rate.may_count(amount, outdated=self.is_outdated):
                break
            self._hurry()
            # An exchange may have taken its counts since the call arrived; mark it as active again.
            self.active = True
            try:
                async with asyncio.timeout(EXCHANGE_S):
                    await self._exchanged.wait()
            except TimeoutError:
                self.alone = True
        rate.add(amount)
        if rate.is_due:
            self._hurry()

    def _refusal(self, rate: Rate) -> RateLimitReached:
        return RateLimitReached.of(rate.name, rate.limit, self._ends - time.monotonic())

    def _turn(self) -> None:
        """Begin another minute if the current one is over."""
        over = time.monotonic() - self._ends
        if over >= 0:
            self._ends += (over // MINUTE_S + 1) * MINUTE_S
            self._minute += 1
            self._requests.begin()
            self._messages.begin()


_usage: ContextVar[QuotaUsage] = ContextVar("everword_usage")


def set_usage(usage: QuotaUsage) -> None:
    _usage.set(usage)


def current_usage() -> QuotaUsage:
    """Return the usage of the current RPC's namespace; without limits outside of an RPC."""
    return _usage.get(None) or QuotaUsage()

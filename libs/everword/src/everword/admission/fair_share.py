"""Fair sharing of a resource, such as slots for calls or bytes of requests."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

#: A group that used the resource within this many seconds still counts as a competitor.
RECENT_KEY_TTL_S = 1.0
#: The longest that an impatient call waits in a queue that was full lately, and how often that is looked at.
MAX_WAIT_SECONDS = 0.5
SWEEP_S = 0.1


@dataclass(frozen=True)
class Group:
    """Callers that share as one: those of a namespace, or an operator's."""

    name: Hashable
    #: True if it may use the reserve.
    reserved: bool = False


@dataclass(frozen=True)
class ShareLimits:
    """The amounts that there are in total, and for each group."""

    #: Amount for all groups together.
    total: int
    #: The most that one group has.
    of_group: int
    #: Limit of one group while others are active; `of_group` if None.
    among_others: int | None = None
    #: Amount beyond `total`, for reserved groups only.
    reserve: int = 0
    #: Number of waiting calls: of all groups, and of one. Further calls are refused.
    waiting: int = 0
    waiting_in_group: int = 0
    #: True to refuse calls that waited long in a full queue: see `FairShare`.
    impatient: bool = False


class QueueFull(Exception):
    """Too many wait already, of a group or of all."""

    def __init__(self, limit: int, *, of_group: bool) -> None:
        super().__init__(f"Too many wait already{' of one group' if of_group else ''}: {limit}.")
        self.limit = limit
        self.of_group = of_group


@dataclass(frozen=True, eq=False)
class _Call:
    amount: int
    #: How much of its group's share it takes.
    counts: int
    turn: asyncio.Future[None]
    since: float


class FairShare:
    """A semaphore of amounts. Waiting groups are served in turn, whatever amount each requests.

    Within a group the oldest call is served first, unless its queue was full within `RECENT_KEY_TTL_S`. Then the newest
    is, and the oldest is refused when another call comes. If the limits are `impatient`, no more calls wait then than
    the group may have at once, and none longer than `MAX_WAIT_SECONDS`. So a served call has not waited long: see
    adaptive LIFO and controlled delay in "Fail at Scale" (Maurer, ACM Queue 13/8, 2015).

    For use within one event loop.
    """

    def __init__(self, limits: ShareLimits) -> None:
        self._limits = limits
        self._used: Counter[Group] = Counter()
        self._in_use = 0
        self._waiting: OrderedDict[Group, deque[_Call]] = OrderedDict()
        #: Time of each group's last use, and of its last full queue; the oldest is first.
        self._lately: OrderedDict[Group, float] = OrderedDict()
        self._full: OrderedDict[Group, float] = OrderedDict()
        self._sweeping: asyncio.TimerHandle | None = None

    def refusal(self, limit: int, *, of_group: bool) -> Exception:
        """Return the error for a call over the limit, of a group or of all; `limit` calls may run and wait."""
        return QueueFull(limit, of_group=of_group)

    @asynccontextmanager
    async def acquired(
        self, group: Group, amount: int = 1, counts: int | None = None
    ) -> AsyncIterator[None]:
        """Have an amount while the block lasts, as `take` says. Raises as `take` does."""
        await self.take(group, amount, counts)
        try:
            yield
        finally:
            self.give(group, amount, counts)

    async def take(self, group: Group, amount: int = 1, counts: int | None = None) -> None:
        """Take an amount, once it is free. Raises the error of `refusal` if too many calls wait.

        `counts` is the amount counted against the group's share, by default the same.
        """
        _note(self._lately, group)
        counts = amount if counts is None else counts
        if group not in self._waiting and self._fits(group, amount, counts):
            self._grant(group, amount, counts)
            return
        call = _Call(amount, counts, asyncio.get_running_loop().create_future(), time.monotonic())
        self._evict_oldest_waiting(group)
        self._waiting.setdefault(group, deque()).append(call)
        try:
            await call.turn
        except asyncio.CancelledError:
            if call.turn.cancelled():
                self._leave_queue(group, call)
            elif not call.turn.exception():
                self.give(group, amount, counts)
            raise

    def give(self, group: Group, amount: int = 1, counts: int | None = None) -> None:
        """Give back what `take` was called with, and serve those who wait."""
        self._used[group] -= amount if counts is None else counts
        self._in_use -= amount
        if not self._used[group]:
            del self._used[group]
        _note(self._lately, group)
        self._serve()

    def is_full(self, group: Group) -> bool:
        """Return whether a group's queue is full, and was lately."""
        return self._is_queue_full(group) and self._waits(group) >= self._queue_capacity(group)

    def refuses_call(self, group: Group) -> bool:
        """Return whether one more call of a group is refused, and count it, so that the queue stays short."""
        full = self.is_full(group)
        if full:
            _note(self._full, group)
        return full

    def _is_queue_full(self, group: Group) -> bool:
        return time.monotonic() < self._full.get(group, float("-inf")) + RECENT_KEY_TTL_S

    def _waits(self, group: Group) -> int:
        return len(self._waiting.get(group, ()))

    def _queue_capacity(self, group: Group) -> int:
        """Return how many calls of a group may wait."""
        limits = self._limits
        if limits.impatient and self._is_queue_full(group):
            return min(limits.of_group, limits.waiting_in_group)
        return limits.waiting_in_group

    def _evict_oldest_waiting(self, group: Group) -> None:
        """Refuse the oldest call of a group if too many wait. Raises if none of the group waits."""
        queue = self._waiting.get(group, deque())
        if len(queue) >= self._queue_capacity(group):
            _note(self._full, group)
            if not queue:
                raise self._too_many()
            while len(queue) >= self._queue_capacity(group):
                _refuse(queue.popleft(), self._too_many())
            self._schedule_sweep()
        elif not group.reserved and sum(map(len, self._waiting.values())) >= self._limits.waiting:
            error = self.refusal(self._limits.total + self._limits.waiting, of_group=False)
            if not queue:
                raise error
            _refuse(queue.popleft(), error)

    def _too_many(self) -> Exception:
        limits = self._limits
        return self.refusal(limits.of_group + limits.waiting_in_group, of_group=True)

    def _schedule_sweep(self) -> None:
        if self._limits.impatient and self._sweeping is None:
            self._sweeping = asyncio.get_running_loop().call_later(SWEEP_S, self._sweep)

    def _sweep(self) -> None:
        """Refuse calls that waited too long in a queue that was full lately."""
        self._sweeping = None
        stale = time.monotonic() - MAX_WAIT_SECONDS
        for group in [group for group in self._waiting if self._is_queue_full(group)]:
            queue = self._waiting[group]
            while queue and queue[0].since < stale:
                _refuse(queue.popleft(), self._too_many())
            if queue:
                self._schedule_sweep()
            else:
                del self._waiting[group]

    def _leave_queue(self, group: Group, call: _Call) -> None:
        if call in self._waiting.get(group, ()):
            self._take_out(group, call)
        self._serve()

    def _take_out(self, group: Group, call: _Call) -> None:
        queue = self._waiting[group]
        queue.remove(call)
        if not queue:
            del self._waiting[group]

    def _serve(self) -> None:
        """Grant amounts to the waiting groups in turn, until no group's next call fits."""
        idle = 0
        while self._waiting and idle < len(self._waiting):
            group, queue = next(iter(self._waiting.items()))
            self._waiting.move_to_end(group)
            call = queue[-1 if self._is_queue_full(group) else 0]
            gone = call.turn.done()  # cancelled, and not yet told
            if not gone and not self._fits(group, call.amount, call.counts):
                idle += 1
                continue
            idle = 0
            self._take_out(group, call)
            if not gone:
                self._grant(group, call.amount, call.counts)
                call.turn.set_result(None)

    def _grant(self, group: Group, amount: int, counts: int) -> None:
        self._used[group] += counts
        self._in_use += amount

    def _fits(self, group: Group, amount: int, counts: int) -> bool:
        limits = self._limits
        total = limits.total + (limits.reserve if group.reserved else 0)
        # An amount larger than the total is granted if nothing else is in use.
        if self._in_use and self._in_use + amount > total:
            return False
        used = self._used[group]
        return not used or used + counts <= self._share()

    def _share(self) -> int:
        """Return what one group may have now."""
        limits = self._limits
        if limits.among_others is None:
            return limits.of_group
        others = len(self._lately.keys() | self._used.keys() | self._waiting.keys()) - 1
        return limits.of_group if others < 1 else limits.among_others


def _note(times: OrderedDict[Group, float], group: Group) -> None:
    """Note that it is a group's time now, and forget those whose time was longer ago than `RECENT_KEY_TTL_S`."""
    now = time.monotonic()
    times[group] = now
    times.move_to_end(group)
    while next(iter(times.values())) < now - RECENT_KEY_TTL_S:
        times.popitem(last=False)


def _refuse(call: _Call, error: Exception) -> None:
    if not call.turn.done():
        call.turn.set_exception(error)

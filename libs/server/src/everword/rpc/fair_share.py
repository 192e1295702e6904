"""Share what a process has, such as slots for calls or bytes of requests, fairly among those who want it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from everword.domain.errors import Overloaded

#: Who had something of it so lately still counts as somebody to share with.
LATELY_S = 1.0
#: The longest that a call waits in a queue that was full lately.
PATIENCE_S = 0.5


@dataclass(frozen=True)
class Group:
    """Those who share as one: a namespace's callers, or an operator's."""

    name: Hashable
    #: May take what is kept in reserve.
    reserved: bool = False


@dataclass(frozen=True)
class Limits:
    """The amounts that there are in total, and for each group."""

    #: What all groups have together.
    total: int
    #: The most that one group has.
    of_group: int
    #: The most that one group has while there are others; `of_group` where it is None.
    beside_others: int | None = None
    #: What is there beyond `total`, for reserved groups alone.
    reserve: int = 0
    #: Who may wait: of all groups, and of one. The next one is refused.
    waiting: int = 0
    waiting_of_group: int = 0


@dataclass(frozen=True, eq=False)
class _Call:
    amount: int
    turn: asyncio.Future[None]
    since: float


class _Queue:
    """The waiting calls of one group. The oldest is served first, unless the queue was full within `LATELY_S`.

    Then the newest is, the oldest is refused when another call comes, and nobody waits for longer than `PATIENCE_S`: a
    call that is served has not waited long. See adaptive LIFO and controlled delay in "Fail at Scale" (Maurer, ACM
    Queue 13/8, 2015).
    """

    def __init__(self, limit: int) -> None:
        self.calls: deque[_Call] = deque()
        #: What whoever is refused is told.
        self._limit = limit
        self._full_at = float("-inf")

    def make_room(self) -> None:
        """Refuse the call that has waited for longest, for another one came to a full queue."""
        self._full_at = time.monotonic()
        self._refuse_oldest()

    def next(self) -> _Call | None:
        """Return the call to be served next, once those that waited for too long are refused."""
        now = time.monotonic()
        if now >= self._full_at + LATELY_S:
            return self.calls[0]
        while self.calls and self.calls[0].since < now - PATIENCE_S:
            self._refuse_oldest()
        return self.calls[-1] if self.calls else None

    def _refuse_oldest(self) -> None:
        turn = self.calls.popleft().turn
        if not turn.done():
            turn.set_exception(_too_many(self._limit))


def _too_many(limit: int) -> Overloaded:
    return Overloaded(
        "Too many calls of this namespace at once; repeat this one after a pause.", limit=limit
    )


class FairShare:
    """A semaphore of amounts. Groups that wait are served in turn, whatever each of them asks for.

    For use within one event loop.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._used: Counter[Group] = Counter()
        self._in_use = 0
        self._waiting: OrderedDict[Group, _Queue] = OrderedDict()
        self._lately: OrderedDict[Group, float] = OrderedDict()

    @asynccontextmanager
    async def having(self, group: Group, amount: int = 1) -> AsyncIterator[None]:
        """Have an amount while the block lasts. Raises Overloaded where too many wait already."""
        await self.take(group, amount)
        try:
            yield
        finally:
            self.give(group, amount)

    async def take(self, group: Group, amount: int = 1) -> None:
        """Take an amount, once there is room for it. Raises Overloaded where too many came to wait."""
        self._note(group)
        if group not in self._waiting and self._fits(group, amount):
            self._grant(group, amount)
            return
        call = _Call(amount, asyncio.get_running_loop().create_future(), time.monotonic())
        self._line_up(group).calls.append(call)
        try:
            await call.turn
        except asyncio.CancelledError:
            if call.turn.cancelled():
                self._leave(group, call)
            elif not call.turn.exception():
                self.give(group, amount)
            raise

    def give(self, group: Group, amount: int = 1) -> None:
        """Give an amount back, and serve those who wait."""
        self._used[group] -= amount
        self._in_use -= amount
        if not self._used[group]:
            del self._used[group]
        self._note(group)
        self._serve()

    def _line_up(self, group: Group) -> _Queue:
        """Return where to wait. Where too many of the group do, the oldest of them is refused."""
        limits = self._limits
        limit_of_group = limits.of_group + limits.waiting_of_group
        queue = self._waiting.get(group) or _Queue(limit_of_group)
        full = len(queue.calls) >= limits.waiting_of_group
        crowded = self._count_waiting() >= limits.waiting and not group.reserved
        if not (full or crowded):
            return self._waiting.setdefault(group, queue)
        if not queue.calls:
            raise (
                _too_many(limit_of_group)
                if full
                else Overloaded(limit=limits.total + limits.waiting)
            )
        queue.make_room()
        return queue

    def _count_waiting(self) -> int:
        return sum(len(queue.calls) for queue in self._waiting.values())

    def _leave(self, group: Group, call: _Call) -> None:
        queue = self._waiting.get(group)
        if queue and call in queue.calls:
            self._take_out(group, queue, call)
        self._serve()

    def _take_out(self, group: Group, queue: _Queue, call: _Call) -> None:
        queue.calls.remove(call)
        if not queue.calls:
            del self._waiting[group]

    def _serve(self) -> None:
        """Give to the groups that wait, one after the other, until nobody's next fits."""
        idle = 0
        while self._waiting and idle < len(self._waiting):
            group, queue = next(iter(self._waiting.items()))
            self._waiting.move_to_end(group)
            call = queue.next()
            if call is None:
                del self._waiting[group]
                continue
            gone = call.turn.done()  # cancelled, and not yet told
            if not gone and not self._fits(group, call.amount):
                idle += 1
                continue
            idle = 0
            self._take_out(group, queue, call)
            if not gone:
                self._grant(group, call.amount)
                call.turn.set_result(None)

    def _grant(self, group: Group, amount: int) -> None:
        self._used[group] += amount
        self._in_use += amount

    def _fits(self, group: Group, amount: int) -> bool:
        limits = self._limits
        total = limits.total + (limits.reserve if group.reserved else 0)
        # What is larger than all there is may be had alone.
        if self._in_use and self._in_use + amount > total:
            return False
        used = self._used[group]
        return not used or used + amount <= self._share()

    def _share(self) -> int:
        """Return what one group may have now."""
        limits = self._limits
        if limits.beside_others is None:
            return limits.of_group
        others = len(self._lately.keys() | self._used.keys() | self._waiting.keys()) - 1
        return limits.of_group if others < 1 else limits.beside_others

    def _note(self, group: Group) -> None:
        now = time.monotonic()
        self._lately[group] = now
        self._lately.move_to_end(group)
        until = now - LATELY_S
        while self._lately and next(iter(self._lately.values())) < until:
            self._lately.popitem(last=False)

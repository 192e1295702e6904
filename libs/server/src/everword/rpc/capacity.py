"""The work that one server takes on at once, and its division among namespaces."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from everword.admission import fair_share
from everword.admission.fair_share import Group, ShareLimits
from everword.domain.caller import Caller
from everword.domain.errors import Overloaded


class CallShare(fair_share.FairShare):
    """A semaphore of amounts, whose `take` raises Overloaded."""

    def refusal(self, limit: int, *, of_group: bool) -> Exception:
        message = "Too many concurrent calls of this namespace; retry after a pause."
        return Overloaded(message if of_group else "", limit=limit)


#: The largest message that the transport takes. Somewhat more than any request may have, so that a request just over
#: its limit gets an error that explains itself.
TRANSPORT_BYTES = 20 * 1024 * 1024
#: Bytes of requests that are being received or worked on, in all and of one namespace. Before a request is there, it
#: counts for as much as it could have.
MAX_BODY_BYTES = 32 * TRANSPORT_BYTES
MAX_BODY_BYTES_OF_GROUP = 8 * TRANSPORT_BYTES
#: Calls that are worked on at once. More of them make each slower, and none sooner done.
MAX_RUNNING = 16
#: Limit for services whose calls mostly compute: they share one processor, and long steps of each delay the acceptance
#: and refusal of new calls.
MAX_COMPUTING = {"search": 3}
#: Limit of one namespace while others have calls, too.
MAX_CONCURRENT_RUNS = 2
#: How many of its namespace's slots a message of a stream takes: of several streams of one namespace, one works at a
#: time while others call.
MESSAGE_OF_STREAM = 2
#: The group of calls between services, which has its own share.
BETWEEN_SERVICES = Group("between services", reserved=True)


def group_of(caller: Caller) -> Group:
    """Return the group of a caller: its namespace; an operator shares with operators only."""
    namespace = caller.namespace.id if caller.namespace else None
    return Group((caller.operator, namespace), reserved=caller.operator)


class Capacity:
    """The slots and bytes of a service's server, for `calls` calls at once."""

    def __init__(self, calls: int, service: str = "") -> None:
        running = min(MAX_COMPUTING.get(service, MAX_RUNNING), max(1, calls // 2))
        self._running = CallShare(
            ShareLimits(
                total=running,
                of_group=running,
                among_others=min(MAX_CONCURRENT_RUNS, running),
                reserve=2,
                # A namespace leaves places to the others.
                waiting=calls - running,
                waiting_in_group=max(0, calls * 3 // 4 - running),
                impatient=True,
            )
        )
        self._long = CallShare(
            ShareLimits(total=max(1, calls // 2), of_group=max(1, calls // 8), reserve=2)
        )
        self._streams = CallShare(
            ShareLimits(total=max(1, calls // 8), of_group=max(1, calls // 32), reserve=2)
        )
        # The called service has queues of its own, in which searches precede background work.
        self._between_services = CallShare(ShareLimits(total=calls, of_group=calls))
        self._bodies = CallShare(
            ShareLimits(
                total=MAX_BODY_BYTES,
                of_group=MAX_BODY_BYTES_OF_GROUP,
                reserve=2 * TRANSPORT_BYTES,
                waiting=calls,
                waiting_in_group=max(1, calls * 3 // 4),
            )
        )

    def is_full(self, group: Group) -> bool:
        """Return whether a group has more calls than can be answered."""
        return self._running.is_full(group)

    def refuses_call(self, group: Group) -> bool:
        """Return whether one more call of a group is refused, and count it."""
        return self._running.refuses_call(group)

    def slot(
        self, group: Group, *, long: bool = False, counts: int = 1
    ) -> AbstractAsyncContextManager[None]:
        """Have a slot to work in, or a place for a `long` call, which mostly waits. Raises Overloaded.

        `counts` is how many of the group's own slots it takes; of the server's it takes one.
        """
        if group is BETWEEN_SERVICES:
            return self._between_services.acquired(group)
        return self._long.acquired(group) if long else self._running.acquired(group, 1, counts)

    def stream(self, group: Group) -> AbstractAsyncContextManager[None]:
        """Take a place for a stream, each message of which needs a slot. Raises Overloaded if none is free."""
        return self._streams.acquired(group)

    @asynccontextmanager
    async def body(self, group: Group) -> AsyncIterator[Body]:
        """Reserve memory for a request: first for the largest, then for its real size."""
        await self._bodies.take(group, TRANSPORT_BYTES)
        body = Body(self._bodies, group)
        try:
            yield body
        finally:
            self._bodies.give(group, body.held)


class Body:
    """The room that a request takes."""

    def __init__(self, bodies: CallShare, group: Group) -> None:
        self._bodies = bodies
        self._group = group
        self.held = TRANSPORT_BYTES

    def holds(self, raw: bytes) -> None:
        """Return the memory that a received request does not need."""
        size = min(len(raw), self.held)
        self._bodies.give(self._group, self.held - size)
        self.held = size

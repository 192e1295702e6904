"""Every call has a deadline: the caller's, or the server's default."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everword.domain.deadline import set_deadline
from everword.rpc.interceptors.base import IncomingCall, Interceptor

#: Default deadline of a call, in seconds.
DEFAULT_S = 60.0
#: Largest deadline of a call, and default of a stream, in seconds.
CAP_S = 3600.0


class DeadlineInterceptor(Interceptor):
    """Sets the deadline that statements and outgoing calls take over."""

    @asynccontextmanager
    async def around(self, call: IncomingCall) -> AsyncIterator[None]:
        left = call.context.time_remaining()
        if left is None:
            left = CAP_S if call.streaming else DEFAULT_S
        left = min(left, CAP_S)
        set_deadline(left)
        async with asyncio.timeout(left):
            yield

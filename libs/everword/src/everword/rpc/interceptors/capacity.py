"""Refuses calls beyond what a server can take at once, before they cost anything."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everword.domain.errors import Overloaded
from everword.rpc.interceptors.base import Call, Interceptor


class CapacityInterceptor(Interceptor):
    """Counts the calls in flight. gRPC's own limit would refuse health checks too, and without saying why."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._active = 0

    @asynccontextmanager
    async def around(self, call: Call) -> AsyncIterator[None]:
        if self._active >= self._limit:
            raise Overloaded(limit=self._limit)
        self._active += 1
        try:
            yield
        finally:
            self._active -= 1

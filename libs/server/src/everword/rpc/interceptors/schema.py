"""Refuses calls while the schema is older than this release: new code over old tables would fail halfway."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everword.domain.errors import StorageUnavailable
from everword.rpc.health import Health
from everword.rpc.interceptors.base import IncomingCall, Interceptor


class SchemaInterceptor(Interceptor):
    """Refuses calls until the migrations have run; callers retry, as in any outage."""

    def __init__(self, health: Health) -> None:
        self._health = health

    @asynccontextmanager
    async def around(self, call: IncomingCall) -> AsyncIterator[None]:
        if self._health.schema_is_older:
            raise StorageUnavailable("The database is being migrated; repeat the call.")
        yield

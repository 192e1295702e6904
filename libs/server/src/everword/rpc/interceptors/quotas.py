"""Holds calls to the limits that an operator set for their namespace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everword.domain.caller import Role, current_caller
from everword.domain.quotas import RateLimitReached
from everword.quotas.quotas import Quotas
from everword.quotas.usage import set_usage
from everword.rpc.interceptors.base import IncomingCall, Interceptor
from everword.rpc.methods import STORES_TEXT
from everword.rpc.shedding import Shedding, claimed_identity


class QuotaInterceptor(Interceptor):
    """Counts each call of a namespace; what operators do, and what services ask each other, is not counted."""

    def __init__(self, quotas: Quotas, access: dict[str, Role], shedding: Shedding) -> None:
        self._quotas = quotas
        self._access = access
        self._shedding = shedding

    @asynccontextmanager
    async def around(self, call: IncomingCall) -> AsyncIterator[None]:
        # Calls between services are not in the table.
        if self._access.get(call.path, Role.ADMIN) is not Role.ADMIN:
            namespace = current_caller().namespace
            if namespace is not None:
                usage = self._quotas.usage(namespace.id)
                if call.path in STORES_TEXT:
                    usage.check_storage_quota()
                try:
                    await usage.take_request()
                except RateLimitReached:
                    self._shedding.note_limited(claimed_identity(call.metadata), usage)
                    raise
                set_usage(usage)
        yield

"""Refuses writes that hold a credential, in namespaces that want none stored."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
from cachetools import TTLCache
from google.protobuf.descriptor import ServiceDescriptor

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import Role, current_namespace
from everword.rpc.interceptors.base import (
    Context,
    Continuation,
    Handler,
    behavior_of,
    replace_behavior,
)
from everword.rpc.methods import access_table
from everword.rpc.refusing import refuse_credentials

#: A change of the policy counts after this time.
POLICY_CACHE_S = 0.9


class CredentialInterceptor(grpc.aio.ServerInterceptor):
    """Looks at each request that stores something, before anything of it is stored."""

    def __init__(self, database: Database, services: list[ServiceDescriptor]) -> None:
        self._database = database
        self._storing = {
            path for path, role in access_table(services).items() if _stores(path, role)
        }
        self._refusing: TTLCache[int, bool] = TTLCache(4096, POLICY_CACHE_S)

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        handler = await continuation(handler_call_details)
        if handler is None or handler_call_details.method not in self._storing:
            return handler
        behavior = behavior_of(handler)

        async def unary(request: Any, context: Context) -> Any:
            await self._check(request)
            return await behavior(request, context)

        async def stream(requests: AsyncIterator[Any], context: Context) -> Any:
            async def checked() -> AsyncIterator[Any]:
                async for request in requests:
                    await self._check(request)
                    yield request

            return await behavior(checked(), context)

        return replace_behavior(handler, stream if handler.request_streaming else unary)

    async def _check(self, request: Any) -> None:
        if await self._refuses(current_namespace().id):
            await refuse_credentials(request)

    async def _refuses(self, namespace_id: int) -> bool:
        known: bool | None = self._refusing.get(namespace_id)
        if known is None:
            async with self._database.transaction(namespace_id) as conn:
                settings = await get_namespace_settings(conn, namespace_id)
            known = settings.refuses_credentials
            self._refusing[namespace_id] = known
        return known


def _stores(path: str, role: Role) -> bool:
    """Tell whether an RPC may store what callers say. What was stored can be taken back whatever it is called."""
    service, _, method = path.removeprefix("/everword.v1.").partition("/")
    return role is Role.WRITE and service != "EraseService" and not method.startswith("Delete")

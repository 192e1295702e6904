"""Refuses writes that hold a credential, in namespaces that want none stored."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.protobuf.descriptor import ServiceDescriptor

from everword.domain.caller import Role, current_namespace
from everword.rpc.interceptors.base import (
    Context,
    Continuation,
    Handler,
    behavior_of,
    replace_behavior,
)
from everword.rpc.methods import access_table
from everword.rpc.refusal_server import refuse_credentials


class CredentialInterceptor(grpc.aio.ServerInterceptor):
    """Looks at each request that stores something, before anything of it is stored."""

    def __init__(self, services: list[ServiceDescriptor]) -> None:
        self._storing = {
            path for path, role in access_table(services).items() if _stores(path, role)
        }

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
        # Known with the caller, and as old as that: nothing is asked for it.
        if current_namespace().refuses_credentials:
            await refuse_credentials(request)


def _stores(path: str, role: Role) -> bool:
    """Return whether an RPC may store callers' text. Erasures and deletions store none and may name credentials."""
    service, _, method = path.removeprefix("/everword.v1.").partition("/")
    return role is Role.WRITE and service != "ErasureService" and not method.startswith("Delete")

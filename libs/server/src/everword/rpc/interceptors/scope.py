"""Restricts requests to the scope of the caller's key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import grpc
from google.protobuf.message import Message

from everword.domain.caller import current_scope
from everword.rpc.interceptors.base import (
    Context,
    Continuation,
    Handler,
    behavior_of,
    replace_behavior,
)
from everword.rpc.scopes import ScopedFields, restrict_to_scope


class ScopeInterceptor(grpc.aio.ServerInterceptor):
    """Around the RPCs that keys with a scope may call; AuthInterceptor refuses such keys all others."""

    def __init__(self, scoped: Mapping[str, ScopedFields]) -> None:
        self._scoped = scoped

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        handler = await continuation(handler_call_details)
        fields = self._scoped.get(handler_call_details.method)
        if handler is None or fields is None:
            return handler
        behavior = behavior_of(handler)

        async def unary(request: Message, context: Context) -> Any:
            return await behavior(_restricted_request(request, fields), context)

        async def stream(requests: AsyncIterator[Message], context: Context) -> Any:
            held = (_restricted_request(request, fields) async for request in requests)
            return await behavior(held, context)

        return replace_behavior(handler, stream if handler.request_streaming else unary)


def _restricted_request(request: Message, fields: ScopedFields) -> Message:
    scope = current_scope()
    if scope:
        restrict_to_scope(request, scope, fields)
    return request

"""Answers calls that only check their API key."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass

from everword.client.headers import CHECK_HEADER
from everword.rpc.interceptors.base import (
    Context,
    Continuation,
    Handler,
    metadata_of,
    replace_behavior,
)
from everword.rpc.methods import PUBLIC, find_method


class KeyCheckInterceptor(grpc.aio.ServerInterceptor):
    """Returns an empty response to a call with the header `x-everword-check-key`, once its caller is authenticated.

    The gateway and the MCP server have no database, so they check a key this way before they parse a body. Such a call
    reads, changes and counts nothing.
    """

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        path = handler_call_details.method
        handler = await continuation(handler_call_details)
        method = find_method(path) if path.startswith(PUBLIC) else None
        if handler is None or method is None:
            return handler
        if CHECK_HEADER not in metadata_of(handler_call_details):
            return handler
        # A response stream ends without a response.
        response = None if method.server_streaming else GetMessageClass(method.output_type)()

        async def answer(request: Any, context: Context) -> Any:
            return response

        return replace_behavior(handler, answer)

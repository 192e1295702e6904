"""Channels retry unanswered calls, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from everword.client.channel import open_channel

METHOD = "/everword.v1.IngestService/AppendMessages"


class Server(grpc.GenericRpcHandler):
    """Ends the first call with a code, and answers the others."""

    def __init__(self, code: grpc.StatusCode) -> None:
        self._code = code
        self.calls = 0

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        async def answer(request: bytes, context: Any) -> bytes:
            self.calls += 1
            if self.calls == 1:
                await context.abort(self._code, "Not this one.")
            return request

        return grpc.unary_unary_rpc_method_handler(answer)


@asynccontextmanager
async def serving(handler: Server) -> AsyncIterator[Any]:
    """Serve while the block lasts; lends a call of it."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with open_channel(f"127.0.0.1:{port}") as channel:
            yield channel.unary_unary(METHOD)
    finally:
        await server.stop(None)


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED])
async def test_channel_repeats_a_call_that_the_server_dropped(code: grpc.StatusCode) -> None:
    handler = Server(code)
    async with serving(handler) as call:
        assert await call(b"request", timeout=20) == b"request"
    assert handler.calls == 2


async def test_channel_does_not_repeat_a_refused_call() -> None:
    handler = Server(grpc.StatusCode.RESOURCE_EXHAUSTED)
    async with serving(handler) as call:
        with pytest.raises(grpc.aio.AioRpcError):
            await call(b"request", timeout=20)
    assert handler.calls == 1

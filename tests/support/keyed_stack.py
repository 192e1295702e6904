"""A stack whose calls all send the same key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc

from everword.client.channel import open_channel
from support.callers import bearer
from support.stack import Stack, stack_of


class _Showing:
    """Adds a key to the metadata of a call."""

    def __init__(self, secret: str) -> None:
        self._metadata = bearer(secret)

    async def _call(
        self, continuation: Callable[..., Awaitable[Any]], details: Any, request: Any
    ) -> Any:
        metadata = grpc.aio.Metadata(*(details.metadata or ()), *self._metadata)
        return await continuation(details._replace(metadata=metadata), request)


class _Unary(_Showing, grpc.aio.UnaryUnaryClientInterceptor):
    intercept_unary_unary: Any = _Showing._call


class _Sent(_Showing, grpc.aio.StreamUnaryClientInterceptor):
    intercept_stream_unary: Any = _Showing._call


class _Received(_Showing, grpc.aio.UnaryStreamClientInterceptor):
    intercept_unary_stream: Any = _Showing._call


@asynccontextmanager
async def keyed(stack: Stack, secret: str) -> AsyncIterator[Stack]:
    """Yield the same services, called with a key."""
    interceptors = (_Unary(secret), _Sent(secret), _Received(secret))
    async with AsyncExitStack() as channels:
        opened = {
            name: await channels.enter_async_context(
                open_channel(address, interceptors=interceptors)
            )
            for name, address in stack.addresses.items()
        }
        yield stack_of(stack.database, stack.addresses, opened)

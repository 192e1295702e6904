"""A stack whose calls all send the same key, or name the same namespace."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

import grpc

from everword.client.channel import open_channel
from support.callers import Metadata, bearer, within
from support.stack import Stack, stack_of


class _Adding:
    """Adds metadata to a call."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata

    async def _call(
        self, continuation: Callable[..., Awaitable[Any]], details: Any, request: Any
    ) -> Any:
        metadata = grpc.aio.Metadata(*(details.metadata or ()), *self._metadata)
        return await continuation(details._replace(metadata=metadata), request)


class _Unary(_Adding, grpc.aio.UnaryUnaryClientInterceptor):
    intercept_unary_unary: Any = _Adding._call


class _Sent(_Adding, grpc.aio.StreamUnaryClientInterceptor):
    intercept_stream_unary: Any = _Adding._call


class _Received(_Adding, grpc.aio.UnaryStreamClientInterceptor):
    intercept_unary_stream: Any = _Adding._call


def keyed(stack: Stack, secret: str) -> AbstractAsyncContextManager[Stack]:
    """Return the same services, called with a key."""
    return _called_with(stack, bearer(secret))


def bound(stack: Stack, namespace: str) -> AbstractAsyncContextManager[Stack]:
    """Return the same services, called within a namespace."""
    return _called_with(stack, within(namespace))


@asynccontextmanager
async def _called_with(stack: Stack, metadata: Metadata) -> AsyncIterator[Stack]:
    interceptors = (_Unary(metadata), _Sent(metadata), _Received(metadata))
    async with AsyncExitStack() as channels:
        opened = {
            name: await channels.enter_async_context(
                open_channel(address, interceptors=interceptors)
            )
            for name, address in stack.addresses.items()
        }
        yield stack_of(stack.database, stack.addresses, opened)

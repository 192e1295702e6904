"""The base of interceptors: something that is done around each call of Everword's own services."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import grpc

from everword.rpc.methods import INTERNAL, PUBLIC, find_method

# Generic in the type stubs alone.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"
Behavior: TypeAlias = "Callable[[Any, Context], Awaitable[Any]]"


@dataclass(frozen=True)
class IncomingCall:
    """An incoming call."""

    #: The path, such as `/everword.v1.SearchService/Search`.
    path: str
    #: The caller's metadata; of a repeated key, the last value.
    metadata: dict[str, str]
    context: Context
    #: True if the caller sends a stream.
    streaming: bool


class Interceptor(grpc.aio.ServerInterceptor, ABC):
    """Does something around each call. Health and reflection pass untouched."""

    @abstractmethod
    def around(self, call: IncomingCall) -> AbstractAsyncContextManager[None]:
        """Return the context manager around the call; entering it may raise."""

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        path = handler_call_details.method
        handler = await continuation(handler_call_details)
        if handler is None or not path.startswith((PUBLIC, INTERNAL)):
            return handler
        return self._wrap(handler, path, metadata_of(handler_call_details))

    def _wrap(self, handler: Handler, path: str, metadata: dict[str, str]) -> Handler:
        method = find_method(path)
        streaming = method is not None and method.client_streaming
        inner = behavior_of(handler)

        async def behavior(request: Any | AsyncIterator[Any], context: Context) -> Any:
            async with self.around(IncomingCall(path, metadata, context, streaming)):
                return await inner(request, context)

        return replace_behavior(handler, behavior)


def metadata_of(handler_call_details: grpc.HandlerCallDetails) -> dict[str, str]:
    """Return a caller's metadata that is text; of a repeated key, the last value."""
    return {
        key: value
        for key, value in handler_call_details.invocation_metadata or ()
        if isinstance(value, str)
    }


def behavior_of(handler: Handler) -> Behavior:
    """Return the behavior of a handler: it returns the response, or writes several to its context and returns None."""
    return cast(Behavior, getattr(handler, _kind(handler)))


def replace_behavior(handler: Handler, behavior: Behavior) -> Handler:
    """Return `handler` with another behavior."""
    return handler._replace(**{_kind(handler): behavior})  # type: ignore[attr-defined,no-any-return]


def _kind(handler: Handler) -> str:
    sent = "stream" if handler.request_streaming else "unary"
    return f"{sent}_{'stream' if handler.response_streaming else 'unary'}"

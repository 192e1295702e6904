"""Limits the requests without a key: health checks, and reflection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc

from everword.admission.fair_share import Group, ShareLimits
from everword.domain.errors import DeadlineExceeded, EverwordError, RequestTooLarge
from everword.rpc.capacity import CallShare
from everword.rpc.interceptors.base import Context, Continuation, Handler
from everword.rpc.interceptors.errors import abort
from everword.rpc.methods import INTERNAL, PUBLIC

ANYBODY = Group("anybody")
#: Requests that are received at once, and how many more may wait. Each is there at once, or its call ends.
RECEIVED = 16
RECEIVED_WAITING = 512
RECEIVE_S = 2.0
MAX_REQUEST_BYTES = 64 * 1024
#: Calls that stay: those that watch the health, and those that ask what there is.
MAX_WATCHES = 64
MAX_REFLECTIONS = 16
REFLECTION_S = 60.0


class KeylessInterceptor(grpc.aio.ServerInterceptor):
    """Around health and reflection, which are not Everword's own services and need no key."""

    def __init__(self) -> None:
        waiting = RECEIVED_WAITING
        self._receiving = CallShare(ShareLimits(RECEIVED, RECEIVED, None, 0, waiting, waiting))
        self._watches = CallShare(ShareLimits(MAX_WATCHES, MAX_WATCHES))
        self._reflections = CallShare(ShareLimits(MAX_REFLECTIONS, MAX_REFLECTIONS))

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        found: Any = await continuation(handler_call_details)
        if found is None or handler_call_details.method.startswith((PUBLIC, INTERNAL)):
            return found  # type: ignore[no-any-return]
        serialize = found.response_serializer
        if found.unary_unary:
            return grpc.stream_unary_rpc_method_handler(self._check(found), None, serialize)
        behavior = self._watch(found) if found.unary_stream else self._reflect(found)
        return grpc.stream_stream_rpc_method_handler(behavior, None, serialize)

    def _check(self, found: Any) -> Any:
        async def check(raws: AsyncIterator[bytes], context: Context) -> Any:
            return await found.unary_unary(await self._request(found, raws, context), context)

        return check

    def _watch(self, found: Any) -> Any:
        async def watch(raws: AsyncIterator[bytes], context: Context) -> None:
            request = await self._request(found, raws, context)
            try:
                async with self._watches.acquired(ANYBODY):
                    await found.unary_stream(request, context)
            except EverwordError as error:
                await abort(context, error)

        return watch

    def _reflect(self, found: Any) -> Any:
        async def reflect(raws: AsyncIterator[bytes], context: Context) -> Any:
            try:
                async with (
                    self._reflections.acquired(ANYBODY),
                    asyncio.timeout(REFLECTION_S),
                    aclosing(found.stream_stream(_small(found, raws), context)) as answers,
                ):
                    async for answer in answers:
                        yield answer
            except TimeoutError:
                await abort(context, DeadlineExceeded())
            except EverwordError as error:
                await abort(context, error)

        return reflect

    async def _request(self, found: Any, raws: AsyncIterator[bytes], context: Context) -> Any:
        """Return the one request of a call, or end the call."""
        try:
            async with self._receiving.acquired(ANYBODY), asyncio.timeout(RECEIVE_S):
                return await anext(_small(found, raws))
        except (StopAsyncIteration, TimeoutError):
            await abort(context, DeadlineExceeded("No request was received."))
        except EverwordError as error:
            await abort(context, error)


async def _small(found: Any, raws: AsyncIterator[bytes]) -> AsyncGenerator[Any, None]:
    """Yield requests. Raises RequestTooLarge."""
    async for raw in raws:
        if len(raw) > MAX_REQUEST_BYTES:
            raise RequestTooLarge(bytes=len(raw), limit_bytes=MAX_REQUEST_BYTES)
        yield found.request_deserializer(raw)

"""Receives requests when there is room for them, and lets namespaces take turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc

from everword.admission.bodies import RECEIVE_S, TOO_LATE
from everword.admission.fair_share import Group
from everword.domain.caller import current_caller
from everword.domain.errors import DeadlineExceeded, InvalidArgument
from everword.rpc.capacity import BETWEEN_SERVICES, MESSAGE_OF_STREAM, Capacity, group_of
from everword.rpc.interceptors.base import (
    Behavior,
    Context,
    Continuation,
    Handler,
    behavior_of,
    metadata_of,
    replace_behavior,
)
from everword.rpc.methods import INTERNAL, LONG, PUBLIC
from everword.rpc.shedding import Shedding, Shown, claimed_identity


class CapacityInterceptor(grpc.aio.ServerInterceptor):
    """Reserves memory before a request is received, and a slot before it is processed. Raises Overloaded.

    Unary requests are received as streams, so that nothing is read of a call that an earlier interceptor refuses.
    """

    def __init__(self, capacity: Capacity, shedding: Shedding) -> None:
        self._capacity = capacity
        self._shedding = shedding

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        path = handler_call_details.method
        handler = await continuation(handler_call_details)
        if handler is None or not path.startswith((PUBLIC, INTERNAL)):
            return handler
        inner = behavior_of(handler)
        if handler.request_streaming:
            return replace_behavior(handler, self._streaming(inner))
        received = (
            grpc.stream_stream_rpc_method_handler
            if handler.response_streaming
            else grpc.stream_unary_rpc_method_handler
        )
        shown = claimed_identity(metadata_of(handler_call_details))
        return received(self._unary(inner, path, shown), None, handler.response_serializer)

    def _unary(self, inner: Behavior, path: str, shown: Shown) -> Behavior:
        async def behavior(raws: AsyncIterator[bytes], context: Context) -> Any:
            group = BETWEEN_SERVICES if path.startswith(INTERNAL) else group_of(current_caller())
            self._shedding.note(shown, group)
            async with self._capacity.body(group) as body:
                raw = await _receive(raws)
                if raw is None:
                    raise InvalidArgument("The call contains no request.")
                # Before it waits for a slot: others can be received meanwhile.
                body.holds(raw)
                async with self._capacity.slot(group, long=path in LONG):
                    return await inner(raw, context)

        return behavior

    def _streaming(self, inner: Behavior) -> Behavior:
        async def behavior(raws: AsyncIterator[bytes], context: Context) -> Any:
            group = group_of(current_caller())
            # Closed with the call: else a slot would be had until the collector comes by.
            async with (
                self._capacity.stream(group),
                aclosing(self._admit_each(raws, group)) as taken,
            ):
                return await inner(taken, context)

        return behavior

    async def _admit_each(
        self, raws: AsyncIterator[bytes], group: Group
    ) -> AsyncGenerator[bytes, None]:
        """Yield the messages of a stream, with a slot while one is processed and none while waiting for the next."""
        while (raw := await _receive(raws)) is not None:
            async with self._capacity.slot(group, counts=MESSAGE_OF_STREAM):
                yield raw


async def _receive(raws: AsyncIterator[bytes]) -> bytes | None:
    """Return the next message of a call, None after the last one. Raises DeadlineExceeded."""
    try:
        async with asyncio.timeout(RECEIVE_S):
            return await anext(raws, None)
    except TimeoutError as error:
        raise DeadlineExceeded(TOO_LATE, limit_s=RECEIVE_S) from error

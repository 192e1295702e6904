"""Refuses calls of a caller who sends too many, before anything else is done for them."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import grpc

from everword.domain.errors import Overloaded
from everword.observability.logs import request_id
from everword.rpc.errors import grpc_code
from everword.rpc.interceptors.base import Context, Continuation, Handler, metadata_of
from everword.rpc.interceptors.errors import abort
from everword.rpc.interceptors.request_id import choose_request_id
from everword.rpc.interceptors.telemetry import record_call
from everword.rpc.methods import is_brief
from everword.rpc.shedding import Shedding, shown_by


class SheddingInterceptor(grpc.aio.ServerInterceptor):
    """Refuses at the door, where it costs least: what is saved is there for calls that are answered."""

    def __init__(self, shedding: Shedding) -> None:
        self._shedding = shedding

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        path = handler_call_details.method
        if self._shedding.is_active and is_brief(path):
            metadata = metadata_of(handler_call_details)
            if self._shedding.refuses(shown_by(metadata)):
                return _refusal(path, metadata)
        return await continuation(handler_call_details)


def _refusal(path: str, metadata: Mapping[str, str]) -> Handler:
    async def refuse(_: AsyncIterator[bytes], context: Context) -> Any:
        started = time.perf_counter()
        request_id.set(choose_request_id(metadata))
        error = Overloaded(
            "Too many calls of this caller wait already; repeat this one after a pause."
        )
        try:
            await abort(context, error)
        finally:
            record_call(path, started, grpc_code(error).name, error.reason)

    # As a stream: nothing of the request is read.
    return grpc.stream_unary_rpc_method_handler(refuse)

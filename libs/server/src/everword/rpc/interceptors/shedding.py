"""Refuses calls of a caller who sends too many, before anything else is done for them."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import grpc

from everword.domain.caller import Role
from everword.domain.errors import EverwordError
from everword.observability.logs import request_id
from everword.rpc.errors import grpc_code
from everword.rpc.interceptors.base import Context, Continuation, Handler, metadata_of
from everword.rpc.interceptors.errors import abort
from everword.rpc.interceptors.request_id import choose_request_id
from everword.rpc.interceptors.telemetry import record_call
from everword.rpc.methods import is_brief
from everword.rpc.shedding import Shedding, claimed_identity


class SheddingInterceptor(grpc.aio.ServerInterceptor):
    """Refuses calls before any work is done for them, which leaves capacity for the other calls."""

    def __init__(self, shedding: Shedding, access: dict[str, Role]) -> None:
        self._shedding = shedding
        self._access = access

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        path = handler_call_details.method
        if self._shedding.is_active and is_brief(path):
            metadata = metadata_of(handler_call_details)
            error = self._shedding.refusal(
                claimed_identity(metadata), is_counted=self._is_counted(path)
            )
            if error is not None:
                return _refusal(path, metadata, error)
        return await continuation(handler_call_details)

    def _is_counted(self, path: str) -> bool:
        """Return whether a call counts towards the namespace's rate; operators' calls do not."""
        return self._access.get(path, Role.ADMIN) is not Role.ADMIN


def _refusal(path: str, metadata: Mapping[str, str], error: EverwordError) -> Handler:
    async def refuse(_: AsyncIterator[bytes], context: Context) -> Any:
        started = time.perf_counter()
        request_id.set(choose_request_id(metadata))
        try:
            await abort(context, error)
        finally:
            record_call(path, started, grpc_code(error).name, error.reason)

    # As a stream: nothing of the request is read.
    return grpc.stream_unary_rpc_method_handler(refuse)

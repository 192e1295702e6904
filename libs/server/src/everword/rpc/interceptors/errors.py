"""Turns every exception into a rich status, without details of unexpected ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import grpc
import psycopg

from everword.admission.frames import forget_frames
from everword.domain.errors import EverwordError, InvalidArgument, MethodUnknown
from everword.observability.logs import request_id
from everword.rpc.errors import clip, grpc_code, to_status, trailers, translate
from everword.rpc.interceptors.base import Context, Continuation, Handler, IncomingCall, Interceptor
from everword.rpc.interceptors.request_id import send_request_id

log = logging.getLogger(__name__)
#: Codes of failures within Everword. All others describe a problem of the call.
_UNANSWERED = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL"}
#: Fields of a request that a log line names.
_FIELDS = 10
#: How long the rest of a stream is read that was refused.
DRAIN_S = 5.0
#: Streams of which the rest is read at once: each may hold a request of the largest size.
MAX_DRAINED = 16


def log_error(method: str, error: EverwordError) -> None:
    """Log a failed call: the kind of error and the fields at fault, without content of the request."""
    extra: dict[str, object] = {
        "method": clip(method),
        "code": error.code,
        "reason": error.reason,
    }
    if isinstance(error, InvalidArgument) and error.violations:
        extra["fields"] = [clip(field) for field, _ in error.violations[:_FIELDS]]
    if error.code in _UNANSWERED:
        log.warning("call not answered", extra=extra)
    else:
        log.info("call refused", extra=extra)


async def abort(context: Context, error: EverwordError) -> None:
    """End the call with the error's status. Raises grpc.aio.AbortError."""
    status = to_status(error, request_id.get())
    # Send initial metadata first: the status has the retry rules, and channels must not retry on their own.
    await send_request_id(context)
    try:
        await context.abort(grpc_code(error), status.message, trailing_metadata=trailers(status))
    except grpc.aio.AbortError as aborted:
        # The context refers to it, and its traceback to the context: a cycle.
        context.add_done_callback(_done_callback(aborted))
        raise


def _done_callback(aborted: grpc.aio.AbortError) -> Any:
    """Return a callback for the end of a call; its type is a protocol of the stubs."""

    def let_go(context: Context) -> None:
        forget_frames(aborted)
        aborted.__context__ = None

    return let_go


def _refuse_unknown(method: str) -> Handler:
    async def behavior(request: Any, context: Context) -> None:
        error = MethodUnknown(method=method)
        log_error(method, error)
        await abort(context, error)

    # As a stream: nothing of the request is read.
    return grpc.stream_unary_rpc_method_handler(behavior)


def _is_cancelled() -> bool:
    """Return whether this call was cancelled, rather than an operation that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class ErrorInterceptor(Interceptor):
    """Turns exceptions of calls into gRPC statuses and logs them.

    Health and reflection are left to KeylessInterceptor.
    """

    def __init__(self) -> None:
        self._draining = 0

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        handler = await super().intercept_service(continuation, handler_call_details)
        return handler or _refuse_unknown(handler_call_details.method)

    @asynccontextmanager
    async def around(self, call: IncomingCall) -> AsyncIterator[None]:
        try:
            yield
        except grpc.aio.AbortError:
            raise
        # The last handler of the process: every exception becomes a status.
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and _is_cancelled():
                raise
            known = translate(error)
            if known is None:
                log.exception("call failed", extra={"method": call.path})
                known = EverwordError()
            elif isinstance(error, psycopg.Error):
                log.warning("storage error", extra={"method": call.path, "error": repr(error)})
            else:
                log_error(call.path, known)
            forget_frames(error)
            if call.streaming:
                # Headers tell the client to send no more: a client that writes into a call that has ended may lose
                # the status.
                await send_request_id(call.context)
                await self._drain(call.context)
            await abort(call.context, known)

    async def _drain(self, context: Context) -> None:
        """Read the rest of a refused stream for a while.

        An asyncio client that writes into an ended call reports INTERNAL, and never sees the status.
        """
        if self._draining >= MAX_DRAINED:
            return
        self._draining += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_S):
                    while await context.read() is not grpc.aio.EOF:
                        pass
        finally:
            self._draining -= 1

"""The layers around every outgoing call: deadline, headers, request id, span, retries, and one kind of error."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TypeVar
from uuid import uuid4

import grpc
from google.protobuf.message import Message
from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode

from everword.client.errors import CallError, to_call_error
from everword.client.headers import (
    KEY_HEADER,
    NAMESPACE_HEADER,
    REQUEST_ID_HEADER,
    ensure_sendable,
)
from everword.client.settings import ClientSettings
from everword.telemetry import names
from everword.telemetry.tracing import duration_histogram, tracer

#: How often a call is made before its error is passed on.
ATTEMPTS = 4
#: Pause before a call is repeated whose server was lost.
LOST_PAUSE_S = 0.1
#: The most by which calls that were refused together come back one after the other.
MAX_GAP_S = 5.0

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")
_UnaryContinuation = Callable[
    [grpc.aio.ClientCallDetails, _Request],
    Awaitable[grpc.aio.UnaryUnaryCall[_Request, _Response]],
]
_Requests = AsyncIterable[_Request] | Iterable[_Request]
_StreamContinuation = Callable[
    [grpc.aio.ClientCallDetails, _Requests[_Request]],
    Awaitable[grpc.aio.StreamUnaryCall[_Request, _Response]],
]
_ResponsesContinuation = Callable[
    [grpc.aio.ClientCallDetails, _Request],
    Awaitable[grpc.aio.UnaryStreamCall[_Request, _Response]],
]


def client_interceptors(
    address: str, settings: ClientSettings
) -> tuple[grpc.aio.ClientInterceptor, ...]:
    """Return the interceptors of a channel to `address`."""
    kinds = (UnaryInterceptor, StreamInterceptor, ResponsesInterceptor)
    return tuple(kind(address, settings) for kind in kinds)


class OutgoingCall:
    """Prepares a call, watches it, and turns its error into a CallError."""

    def __init__(self, address: str, settings: ClientSettings) -> None:
        self.address = address
        self.timeout_s = settings.timeout_s
        self._headers = {}
        if settings.api_key:
            self._headers[KEY_HEADER] = f"Bearer {settings.api_key}"
        if settings.namespace:
            self._headers[NAMESPACE_HEADER] = settings.namespace

    @asynccontextmanager
    async def around(
        self, details: grpc.aio.ClientCallDetails
    ) -> AsyncIterator[grpc.aio.ClientCallDetails]:
        """Lend the details to call with."""
        with trace.use_span(
            self.begin(details), record_exception=False, set_status_on_exception=False
        ) as span:
            prepared = self.prepare(details)
            async with self.watch(span, prepared):
                yield prepared

    def begin(self, details: grpc.aio.ClientCallDetails) -> Span:
        """Begin the span of a call. Raises CallError if its headers cannot be sent."""
        ensure_sendable((*self._headers.items(), *(details.metadata or ())))
        method = _method(details)
        attributes = {names.RPC_SYSTEM: "grpc", names.RPC_METHOD: method}
        return tracer().start_span(method, kind=SpanKind.CLIENT, attributes=attributes)

    @asynccontextmanager
    async def watch(self, span: Span, details: grpc.aio.ClientCallDetails) -> AsyncIterator[None]:
        """Say in the span and the histogram how a call went, and end the span."""
        attributes = {names.RPC_SYSTEM: "grpc", names.RPC_METHOD: _method(details)}
        started = time.perf_counter()
        status = "CANCELLED"
        try:
            yield
            status = "OK"
        except grpc.aio.AioRpcError as error:
            status = error.code().name
            # CallError has all that the error says; its own traceback would only be repeated.
            raise self.error(error, details) from None
        except CallError as error:
            status = error.code.name
            raise
        finally:
            _finish(span, status)
            span.end()
            duration_histogram(names.RPC_CLIENT_DURATION).record(
                time.perf_counter() - started, attributes | {names.RPC_STATUS: status}
            )

    def error(self, error: grpc.aio.AioRpcError, details: grpc.aio.ClientCallDetails) -> CallError:
        sent = dict(details.metadata or ())
        return to_call_error(error, self.address, str(sent[REQUEST_ID_HEADER]))

    def prepare(
        self, details: grpc.aio.ClientCallDetails, context: Context | None = None
    ) -> grpc.aio.ClientCallDetails:
        """Return `details` with a deadline and with headers; the caller's own values stay."""
        headers = {REQUEST_ID_HEADER: str(uuid4()), **self._headers}
        propagate.inject(headers, context=context)
        given = list(details.metadata or ())
        for name, _ in given:
            headers.pop(name, None)
        timeout = self.timeout_s if details.timeout is None else details.timeout
        return _with(details, timeout, grpc.aio.Metadata(*given, *headers.items()))


class UnaryInterceptor(OutgoingCall, grpc.aio.UnaryUnaryClientInterceptor):
    """Interceptor of calls with one request: gives a write its request id, and retries as the server allows.

    The channel itself retries calls without any answer; a call whose answer was interrupted by the loss of its server
    is retried here.
    """

    async def intercept_unary_unary(
        self,
        continuation: _UnaryContinuation[_Request, _Response],
        client_call_details: grpc.aio.ClientCallDetails,
        request: _Request,
    ) -> grpc.aio.UnaryUnaryCall[_Request, _Response]:
        request = with_request_id(request)
        async with self.around(client_call_details) as details:
            until = time.monotonic() + (details.timeout or 0)
            for attempt in range(1, ATTEMPTS + 1):
                left = max(until - time.monotonic(), 0)
                call = await continuation(_with(details, left, details.metadata), request)
                try:
                    await call
                except grpc.aio.AioRpcError as error:
                    failure = self.error(error, details)
                    pause = _pause(failure, begun=bool(error.initial_metadata()))
                    if attempt == ATTEMPTS or pause is None or time.monotonic() + pause >= until:
                        raise failure from None
                    await asyncio.sleep(pause)
                else:
                    break
        return call


class StreamInterceptor(OutgoingCall, grpc.aio.StreamUnaryClientInterceptor):
    """Around calls of a stream of requests, which only the caller can repeat."""

    async def intercept_stream_unary(
        self,
        continuation: _StreamContinuation[_Request, _Response],
        client_call_details: grpc.aio.ClientCallDetails,
        request_iterator: _Requests[_Request],
    ) -> grpc.aio.StreamUnaryCall[_Request, _Response]:
        async with self.around(client_call_details) as details:
            answered = asyncio.Event()
            call = await continuation(details, _until(answered, request_iterator))
            watching = asyncio.create_task(_set_when_answered(call, answered))
            try:
                await call
            finally:
                watching.cancel()
        return call


async def _until(answered: asyncio.Event, requests: _Requests[_Request]) -> AsyncIterator[_Request]:
    """Yield requests until the server has answered.

    A server answers before the last request only to refuse the call. gRPC for asyncio replaces the status of a call
    that ends during a write by INTERNAL.
    """
    if not isinstance(requests, AsyncIterable):
        requests = _iterate(requests)
    async for request in requests:
        if answered.is_set():
            return
        yield request


async def _iterate(requests: Iterable[_Request]) -> AsyncIterator[_Request]:
    for request in requests:
        yield request


async def _set_when_answered(
    call: grpc.aio.StreamUnaryCall[_Request, _Response], answered: asyncio.Event
) -> None:
    await call.initial_metadata()
    answered.set()


class ResponsesInterceptor(OutgoingCall, grpc.aio.UnaryStreamClientInterceptor):
    """Around calls that are answered by a stream, which only the caller can repeat."""

    async def intercept_unary_stream(
        self,
        continuation: _ResponsesContinuation[_Request, _Response],
        client_call_details: grpc.aio.ClientCallDetails,
        request: _Request,
    ) -> AsyncIterator[_Response]:
        # Whoever reads the responses does it elsewhere than here: the span is handed on, and is no current one.
        span = self.begin(client_call_details)
        details = self.prepare(client_call_details, trace.set_span_in_context(span))
        call = await continuation(details, with_request_id(request))
        return self._responses(span, details, call)

    async def _responses(
        self,
        span: Span,
        details: grpc.aio.ClientCallDetails,
        call: grpc.aio.UnaryStreamCall[_Request, _Response],
    ) -> AsyncIterator[_Response]:
        async with self.watch(span, details):
            try:
                async for response in call:
                    yield response
            finally:
                # Cancel the call if its reader stops.
                call.cancel()


def with_request_id(request: _Request) -> _Request:
    """Return a write with a request id, so that repeating it does nothing twice; any other request as it is.

    The caller's message is not touched: sent again, it is another write.
    """
    if not isinstance(request, Message):
        return request
    if "request_id" not in request.DESCRIPTOR.fields_by_name or request.request_id:  # type: ignore[attr-defined]
        return request
    copy = type(request)()
    copy.CopyFrom(request)
    copy.request_id = str(uuid4())  # type: ignore[attr-defined]
    return copy


def _pause(failure: CallError, *, begun: bool) -> float | None:
    """Return the pause before the next attempt; None if there is none."""
    pause = LOST_PAUSE_S if begun and failure.is_unanswered else failure.retry_after_s
    # Callers that were refused together must not come back together.
    return None if pause is None else pause + random.uniform(0.0, min(pause / 2, MAX_GAP_S))


def _method(details: grpc.aio.ClientCallDetails) -> str:
    path: str | bytes = details.method
    return (path.decode() if isinstance(path, bytes) else path).removeprefix("/")


def _with(
    details: grpc.aio.ClientCallDetails, timeout: float, metadata: grpc.aio.Metadata | None
) -> grpc.aio.ClientCallDetails:
    return grpc.aio.ClientCallDetails(
        details.method, timeout, metadata, details.credentials, details.wait_for_ready
    )


def _finish(span: Span, status: str) -> None:
    span.set_attribute(names.RPC_STATUS, status)
    if status != "OK":
        span.set_attribute(names.ERROR_TYPE, status)
        span.set_status(StatusCode.ERROR)

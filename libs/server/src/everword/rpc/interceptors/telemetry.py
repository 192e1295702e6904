"""A duration for every call, and a span unless it is refused unseen, by the OpenTelemetry RPC conventions.

Written here because the contributed instrumentation emits older names and no metrics for grpc.aio.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
from google.rpc import error_details_pb2, status_pb2
from opentelemetry import propagate
from opentelemetry.trace import Span, SpanKind, StatusCode

from everword.rpc.errors import DETAILS
from everword.rpc.interceptors.base import IncomingCall, Interceptor
from everword.rpc.methods import find_method
from everword.telemetry import names
from everword.telemetry.tracing import duration_histogram, tracer, up_down_counter

_CODES = {code.value[0]: code.name for code in grpc.StatusCode}
#: Stands for every method that no proto has.
UNKNOWN_METHOD = "_OTHER"
#: Codes that are the server's fault; the others are the caller's.
_SERVER_ERRORS = {
    "UNKNOWN",
    "DEADLINE_EXCEEDED",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
}


def status_of(context: grpc.aio.ServicerContext) -> str:  # type: ignore[type-arg]
    """Return the name of a call's present code; OK if none was set."""
    code = context.code()
    if isinstance(code, grpc.StatusCode):
        return code.name
    return _CODES.get(code or 0, "UNKNOWN")


def exhausted_reason(context: grpc.aio.ServicerContext) -> str:  # type: ignore[type-arg]
    """Return the reason of a call that ended as RESOURCE_EXHAUSTED: load, or a limit of the caller's own."""
    details = dict(context.trailing_metadata() or ()).get(DETAILS)
    status = status_pb2.Status.FromString(details if isinstance(details, bytes) else b"")
    info = error_details_pb2.ErrorInfo()
    for detail in status.details:
        if detail.Unpack(info):
            return info.reason
    return ""


class TelemetryInterceptor(Interceptor):
    """Spans and metrics of the calls that a server takes."""

    @asynccontextmanager
    async def around(self, call: IncomingCall) -> AsyncIterator[None]:
        attributes = _attributes(call.path)
        active = up_down_counter(names.RPC_SERVER_ACTIVE, "{call}")
        started = time.perf_counter()
        active.add(1, attributes)
        with tracer().start_as_current_span(
            attributes[names.RPC_METHOD],
            context=propagate.extract(call.metadata),
            kind=SpanKind.SERVER,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            status, reason = "CANCELLED", ""
            try:
                yield
                status = "OK"
            except grpc.aio.AbortError:
                status = status_of(call.context)
                if status == "RESOURCE_EXHAUSTED":
                    reason = exhausted_reason(call.context)
                raise
            finally:
                active.add(-1, attributes)
                _finish(span, status)
                record_call(call.path, started, status, reason)


def record_call(path: str, started: float, status: str, reason: str = "") -> None:
    """Record how long a call took that began at `started`, by `perf_counter`, and how it ended."""
    attributes = {**_attributes(path), names.RPC_STATUS: status}
    if reason:
        attributes[names.ERROR_TYPE] = reason
    duration_histogram(names.RPC_SERVER_DURATION).record(time.perf_counter() - started, attributes)


def _attributes(path: str) -> dict[str, str]:
    # Unknown methods share one label, so that callers cannot create time series.
    method = path.removeprefix("/") if find_method(path) else UNKNOWN_METHOD
    return {names.RPC_SYSTEM: "grpc", names.RPC_METHOD: method}


def _finish(span: Span, status: str) -> None:
    span.set_attribute(names.RPC_STATUS, status)
    if status in _SERVER_ERRORS:
        span.set_attribute(names.ERROR_TYPE, status)
        span.set_status(StatusCode.ERROR)

"""Errors of calls as the exceptions that frameworks know: they repeat some and not others."""

from __future__ import annotations

import grpc

from everword.client import CallError

_Code = grpc.StatusCode
_BUILT_IN: dict[grpc.StatusCode, type[Exception]] = {
    _Code.INVALID_ARGUMENT: ValueError,
    _Code.UNAUTHENTICATED: PermissionError,
    _Code.PERMISSION_DENIED: PermissionError,
    _Code.DEADLINE_EXCEEDED: TimeoutError,
    # Errors that may pass when the call is repeated.
    _Code.UNAVAILABLE: ConnectionError,
    _Code.RESOURCE_EXHAUSTED: ConnectionError,
}


def to_built_in(error: CallError) -> Exception:
    """Return the equivalent built-in exception; `error` itself if there is none."""
    kind = _BUILT_IN.get(error.code)
    if kind is None:
        return error
    return kind(" ".join([str(error), *error.broken_rules]))

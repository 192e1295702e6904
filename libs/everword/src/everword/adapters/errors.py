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
    # Those that may pass when the call is made again.
    _Code.UNAVAILABLE: ConnectionError,
    _Code.RESOURCE_EXHAUSTED: ConnectionError,
}


def to_built_in(error: CallError) -> Exception:
    """Return the built-in exception that says the same; `error` itself where there is none."""
    kind = _BUILT_IN.get(error.code)
    if kind is None:
        return error
    return kind(" ".join([str(error), *error.broken_rules]))

"""Refusals of requests over HTTP."""

from __future__ import annotations

import grpc

from everword.client.errors import CallError

#: The HTTP status of a refusal by its error code. Other codes become 503: the key could not be checked.
_STATUSES = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}


class RequestRefused(Exception):
    """A request was refused before it was read completely, or before it was parsed."""

    def __init__(self, error: CallError, status: int = 0) -> None:
        super().__init__(str(error))
        self.error = error
        #: The HTTP status.
        self.status = status or _STATUSES.get(error.code, 503)


def too_large(size: int, maximum: int) -> RequestRefused:
    """Return the refusal of a request of `size` bytes; at most `maximum` are accepted."""
    error = CallError(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "The request exceeds the size limit of a message; send it in parts.",
        reason="REQUEST_TOO_LARGE",
        metadata={"bytes": str(size), "limit_bytes": str(maximum)},
    )
    return RequestRefused(error, 413)


def too_many(limit: int) -> RequestRefused:
    """Return the refusal of a request beyond `limit` waiting ones."""
    error = CallError(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "Too many concurrent calls; retry after a pause.",
        reason="OVERLOADED",
        metadata={"limit": str(limit)},
        retry_after_s=1.0,
    )
    return RequestRefused(error, 429)

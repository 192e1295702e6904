"""Headers of calls: their names, which of a request over HTTP go on to Everword, and what gRPC can send."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

import grpc

from everword.client.errors import CallError

KEY_HEADER = "authorization"
NAMESPACE_HEADER = "x-everword-namespace"
REQUEST_ID_HEADER = "x-request-id"
#: Metadata key of a call that only checks its API key: it is answered after authentication, and does nothing.
CHECK_HEADER = "x-everword-check-key"
#: Headers for requests on behalf of another caller: its key and namespace.
CALLER_HEADERS = (KEY_HEADER, NAMESPACE_HEADER)
#: Beside these, what its call is known by in logs and traces.
FORWARDED = (*CALLER_HEADERS, REQUEST_ID_HEADER, "traceparent", "tracestate")
#: gRPC fails with an error of its own, or never, where a value has anything else.
_SENDABLE = re.compile(r"[ -~]*")


def forwarded(
    headers: Mapping[str, str], names: Collection[str] = FORWARDED
) -> tuple[tuple[str, str], ...]:
    """Return those headers of a request over HTTP that go on to Everword."""
    return tuple((name, headers[name]) for name in names if name in headers)


def ensure_sendable(headers: Iterable[tuple[str, str | bytes]]) -> None:
    """Raise CallError for a value that cannot be sent; it is not shown, as it may be a secret."""
    for name, value in headers:
        if isinstance(value, bytes) or _SENDABLE.fullmatch(value):
            continue
        if name == KEY_HEADER:
            raise CallError(
                grpc.StatusCode.UNAUTHENTICATED,
                "The API key contains a line break or a character outside of ASCII; copy it again.",
                reason="CREDENTIALS_INVALID",
            )
        raise CallError(
            grpc.StatusCode.INVALID_ARGUMENT,
            f"The header {name} has a line break or a character outside of ASCII.",
            reason="VALIDATION_FAILED",
        )

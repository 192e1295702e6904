"""Errors as callers see them, and properties that all of them must have."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

#: Internals that must not reach a caller: statements, SQLSTATE, drivers, source files.
INSIDES = re.compile(r"SELECT|INSERT|UPDATE \w+|SQLSTATE|psycopg|Traceback|\.py\b|relation |_p\d\b")


@dataclass(frozen=True)
class Refusal:
    """A parsed error status."""

    code: grpc.StatusCode
    reason: str
    message: str
    metadata: dict[str, str]
    #: Descriptions of invalid fields by field, from BadRequest.
    violations: dict[str, str]
    #: Names of the detail messages.
    details: list[str]
    #: Seconds from RetryInfo; 0 if absent.
    retry_after_s: float = 0.0

    @property
    def fields(self) -> set[str]:
        return set(self.violations)


async def refused(call: Awaitable[Any]) -> Refusal:
    """Await a call that must fail; return its error."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return read_refusal(caught.value)


def read_refusal(error: grpc.aio.AioRpcError) -> Refusal:
    """Parse an error. Asserts one ErrorInfo, no duplicate details and no internals."""
    raw = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    assert isinstance(raw, bytes), f"{error.code()} without details: {error.details()}"
    status = status_pb2.Status.FromString(raw)
    names = [packed.TypeName().rpartition(".")[2] for packed in status.details]
    assert names.count("ErrorInfo") == 1
    assert len(set(names)) == len(names)
    assert (status.code, status.message) == (error.code().value[0], error.details())
    assert not INSIDES.search(status.message), status.message
    info = _find(status, error_details_pb2.ErrorInfo())
    assert info.domain == "everword.dev"
    bad = _find(status, error_details_pb2.BadRequest())
    retry = _find(status, error_details_pb2.RetryInfo())
    return Refusal(
        code=error.code(),
        reason=info.reason,
        message=status.message,
        metadata=dict(info.metadata),
        violations={entry.field: entry.description for entry in bad.field_violations},
        details=names,
        retry_after_s=retry.retry_delay.ToTimedelta().total_seconds(),
    )


def _find(status: status_pb2.Status, empty: Any) -> Any:
    """Return the detail of `empty`'s type; `empty` itself if absent."""
    packed: any_pb2.Any
    for packed in status.details:
        if packed.Unpack(empty):
            break
    return empty

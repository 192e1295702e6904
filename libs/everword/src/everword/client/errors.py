"""The single error of a client: the answer of a server, or of the network, in place of a response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

_Detail = TypeVar("_Detail", bound=Message)


@dataclass(eq=False)
class CallError(Exception):
    """A call failed."""

    code: grpc.StatusCode
    message: str
    reason: str = ""
    """Name of an `everword.v1.ErrorReason`, such as `CONVERSATION_NOT_FOUND`; empty where no server answered."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """The values that vary in the message, by the keys that the reason documents."""
    violations: tuple[tuple[str, str], ...] = ()
    """(field path, description) of each broken rule of the request."""
    retry_after_s: float | None = None
    """Seconds after which the server says the call may be repeated; None where it says nothing."""
    address: str = ""
    request_id: str = ""
    """The id of this call in the servers' logs."""

    def __str__(self) -> str:
        name = self.reason or self.code.name
        request = f" [request {self.request_id}]" if self.request_id else ""
        if self.is_unanswered and "ailed to connect" in self.message:
            return f"{name}: cannot reach {self.address}; does `everword up` run? ({self.message}){request}"
        after = "" if self.retry_after_s is None else f" [repeat after {self.retry_after_s:.3g} s]"
        return f"{name}: {self.message}{after}{request}"

    @property
    def is_unanswered(self) -> bool:
        """Return whether no server could be reached."""
        return self.code is grpc.StatusCode.UNAVAILABLE and not self.reason

    @property
    def broken_rules(self) -> list[str]:
        """A sentence for each broken rule that the message does not state: the field and the problem."""
        rules = [f"{field}: {rule.rstrip('.')}" for field, rule in self.violations]
        return [f"{rule}." for rule in rules if rule not in self.message]


def to_call_error(error: grpc.aio.AioRpcError, address: str, request_id: str) -> CallError:
    """Return what `error` says, with the details that came with its status.

    A call that a server dropped, since it ended or had too many calls, is UNAVAILABLE.
    """
    status = _rich_status(error)
    info = next(_details(status, error_details_pb2.ErrorInfo), error_details_pb2.ErrorInfo())
    broken = next(_details(status, error_details_pb2.BadRequest), error_details_pb2.BadRequest())
    retry = next(_details(status, error_details_pb2.RetryInfo), None)
    code, message = error.code(), error.details() or ""
    # CANCELLED: the server had not begun the call; a caller that cancels gets asyncio's error.
    # INTERNAL: behind a proxy, the server died in the middle of its answer.
    dropped = code is grpc.StatusCode.CANCELLED or (
        code is grpc.StatusCode.INTERNAL and "RST_STREAM" in message
    )
    if dropped and not info.reason:
        code = grpc.StatusCode.UNAVAILABLE
        message = "the server ended, or too many calls were waiting for it"
    return CallError(
        code=code,
        message=message,
        reason=info.reason,
        metadata=dict(info.metadata),
        violations=tuple((each.field, each.description) for each in broken.field_violations),
        retry_after_s=retry.retry_delay.ToTimedelta().total_seconds() if retry else None,
        address=address,
        request_id=request_id,
    )


def _rich_status(error: grpc.aio.AioRpcError) -> status_pb2.Status:
    """Return the `google.rpc.Status` of an error; empty if it has none, or a foreign one."""
    try:
        return rpc_status.from_call(error) or status_pb2.Status()  # type: ignore[arg-type]
    except ValueError:
        return status_pb2.Status()


def _details(status: status_pb2.Status, kind: type[_Detail]) -> Iterator[_Detail]:
    for packed in status.details:
        detail = kind()
        if packed.Unpack(detail):
            yield detail

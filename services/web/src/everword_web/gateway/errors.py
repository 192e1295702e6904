"""Errors as JSON, by the Connect protocol: `{"code": "not_found", "message": "…", "details": […]}`."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc import error_details_pb2

from everword.client import CallError
from everword_web.gateway.methods import CODES

_DOMAIN = "everword.dev"


def bad_request(message: str, violations: Sequence[tuple[str, str]] = ()) -> CallError:
    """Return the error of a request that cannot be read, or breaks rules: (field path, description) of each."""
    return CallError(
        grpc.StatusCode.INVALID_ARGUMENT,
        message,
        reason="VALIDATION_FAILED",
        violations=tuple(violations),
    )


def status_of(error: CallError) -> int:
    """Return the HTTP status of an error."""
    return CODES[error.code][0]


def error_body(error: CallError) -> dict[str, Any]:
    """Return the JSON of an error, with the same details as in gRPC."""
    details: list[Message] = []
    if error.reason:
        details.append(
            error_details_pb2.ErrorInfo(
                reason=error.reason, domain=_DOMAIN, metadata=dict(error.metadata)
            )
        )
    if error.violations:
        broken = [
            error_details_pb2.BadRequest.FieldViolation(field=field, description=description)
            for field, description in error.violations
        ]
        details.append(error_details_pb2.BadRequest(field_violations=broken))
    if error.retry_after_s is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromNanoseconds(int(error.retry_after_s * 1e9))
        details.append(retry)
    return {
        "code": CODES[error.code][1],
        "message": error.message,
        "details": [_detail(each) for each in details],
    }


def _detail(message: Message) -> dict[str, Any]:
    """Return a detail: its bytes for programs, and in `debug` as it reads."""
    packed = base64.b64encode(message.SerializeToString()).decode().rstrip("=")
    debug = json_format.MessageToDict(message)
    return {"type": message.DESCRIPTOR.full_name, "value": packed, "debug": debug}

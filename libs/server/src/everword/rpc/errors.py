"""Converts errors to `google.rpc.Status`, and hides the details of drivers' errors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import grpc
import psycopg
from google.protobuf import duration_pb2
from google.rpc import error_details_pb2, status_pb2
from psycopg_pool import PoolTimeout, TooManyRequests

from everword.db.pool import WRITE_CONFLICTS, PoolBusy
from everword.domain.caller import current_scope
from everword.domain.errors import (
    ConcurrentUpdate,
    DeadlineExceeded,
    EverwordError,
    InvalidArgument,
    MethodUnknown,
    NotFound,
    OutOfScope,
    Overloaded,
    StorageUnavailable,
)
from everword.domain.not_found import NamespaceNotFound
from everword.domain.quotas import StorageLimitReached

DOMAIN = "everword.dev"
#: The trailer that carries a rich status.
DETAILS = "grpc-status-details-bin"
#: Length of a caller's text repeated in an error, and of a message.
MAX_ECHO_CHARS = 200
MAX_MESSAGE_CHARS = 300
#: Base64 makes a third more of it, and the message comes once more.
MAX_STATUS_BYTES = 3 * 1024
Trailers = Sequence[tuple[str, bytes]]


def translate(error: BaseException) -> EverwordError | None:
    """Return the public error for a driver's error; None for an unexpected one."""
    match error:
        case EverwordError():
            return error
        case TooManyRequests() | PoolBusy():
            return Overloaded()
        case psycopg.errors.ForeignKeyViolation() if _is_missing_namespace(error):
            return NamespaceNotFound()
        case error if isinstance(error, WRITE_CONFLICTS):
            return ConcurrentUpdate()
        case psycopg.errors.QueryCanceled() | asyncio.TimeoutError():
            return DeadlineExceeded()
        case psycopg.errors.LockNotAvailable():
            return ConcurrentUpdate()
        case psycopg.errors.InsufficientPrivilege() | psycopg.errors.WithCheckOptionViolation() if (
            current_scope()
        ):
            return OutOfScope()
        case psycopg.errors.ProgramLimitExceeded():
            return InvalidArgument("A key, an id or a tag is too long to be indexed; shorten it.")
        case PoolTimeout() | psycopg.OperationalError():
            return StorageUnavailable()
        case NotImplementedError():
            return MethodUnknown()  # raised by the generated base class of a servicer
    return None


def _is_missing_namespace(error: psycopg.Error) -> bool:
    """Return whether the namespace of a row is missing: it was erased after the call was let in."""
    # A key of several columns ends with the last column, and in partitions with a number.
    return (error.diag.constraint_name or "").endswith("_namespace_id_fkey")


def to_status(error: EverwordError, request_id: str) -> status_pb2.Status:
    """Return the status of an error: exactly one ErrorInfo, and each other detail at most once.

    It is sent in trailers, of which peers accept 8 KiB: callers' text is cut when repeated, and violations that do not
    fit are left out.
    """
    metadata = {key: clip(value) for key, value in error.metadata.items()}
    if request_id:
        metadata["request_id"] = metadata.get("request_id", request_id)
    info = error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=metadata)
    status = status_pb2.Status(code=grpc_code(error).value[0], message=message_of(error))
    status.details.add().Pack(info)
    for detail in _further_details(error):
        if isinstance(detail, error_details_pb2.BadRequest):
            available = MAX_STATUS_BYTES - status.ByteSize()
            while len(detail.field_violations) > 1 and detail.ByteSize() > available:
                del detail.field_violations[-1]
        status.details.add().Pack(detail)
    return status


def message_of(error: EverwordError) -> str:
    """Return an error's message, as long as a status may have it."""
    return clip(error.message, MAX_MESSAGE_CHARS)


def clip(text: str, limit: int = MAX_ECHO_CHARS) -> str:
    """Return at most `limit` characters of a text, with an ellipsis if it was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _further_details(
    error: EverwordError,
) -> list[
    error_details_pb2.BadRequest
    | error_details_pb2.RetryInfo
    | error_details_pb2.ResourceInfo
    | error_details_pb2.QuotaFailure
]:
    if isinstance(error, InvalidArgument) and error.violations:
        violation = error_details_pb2.BadRequest.FieldViolation
        return [
            error_details_pb2.BadRequest(
                field_violations=[
                    violation(field=clip(field), description=clip(text))
                    for field, text in error.violations
                ]
            )
        ]
    if error.retry_after_s is not None:
        delay = duration_pb2.Duration()
        delay.FromMilliseconds(int(error.retry_after_s * 1000))
        return [error_details_pb2.RetryInfo(retry_delay=delay)]
    if isinstance(error, StorageLimitReached):
        failure = error_details_pb2.QuotaFailure()
        failure.violations.add(subject=error.metadata["limit"], description=message_of(error))
        return [failure]
    if isinstance(error, NotFound) and error.metadata:
        kind, name = next(iter(error.metadata.items()))
        return [error_details_pb2.ResourceInfo(resource_type=kind, resource_name=clip(name))]
    return []


def grpc_code(error: EverwordError) -> grpc.StatusCode:
    return grpc.StatusCode[error.code]


def trailers(status: status_pb2.Status) -> Trailers:
    """Return the trailing metadata that carries a rich status."""
    return ((DETAILS, status.SerializeToString()),)

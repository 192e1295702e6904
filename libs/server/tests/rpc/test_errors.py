"""The table of errors: the status of each, without other details."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import grpc
import psycopg
import pytest
from google.rpc import error_details_pb2
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from everword.db.pool import PoolBusy
from everword.domain import errors
from everword.domain.errors import EverwordError, NoteVersionConflict
from everword.domain.not_found import ConversationNotFound, MemoryNotFound
from everword.rpc.errors import grpc_code, to_status, trailers, translate
from everword.v1.error_reason_pb2 import ErrorReason

PROTO = Path(__file__).parents[4] / "protos/public/everword/v1/error_reason.proto"
_DOCUMENTED = re.compile(r"// ERROR_REASON_([A-Z_]+) \(([A-Z_]+)\):")
_PREFIX = "ERROR_REASON_"


def _classes(parent: type[EverwordError] = EverwordError) -> Iterator[type[EverwordError]]:
    yield parent
    for child in parent.__subclasses__():
        yield from _classes(child)


_KNOWN: set[type[EverwordError]] = {*_classes(), NoteVersionConflict}
ALL = sorted(_KNOWN, key=lambda error: error.__name__)


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (TooManyRequests(), errors.Overloaded),
        (PoolBusy(), errors.Overloaded),
        (psycopg.errors.ProgramLimitExceeded(), errors.InvalidArgument),
        (psycopg.errors.SerializationFailure(), errors.ConcurrentUpdate),
        (psycopg.errors.DeadlockDetected(), errors.ConcurrentUpdate),
        (psycopg.errors.LockNotAvailable(), errors.ConcurrentUpdate),
        (psycopg.errors.ForeignKeyViolation(), errors.ConcurrentUpdate),
        (psycopg.errors.RestrictViolation(), errors.ConcurrentUpdate),
        (psycopg.errors.QueryCanceled(), errors.DeadlineExceeded),
        (TimeoutError(), errors.DeadlineExceeded),
        (PoolTimeout(), errors.StorageUnavailable),
        (PoolClosed(), errors.StorageUnavailable),
        (psycopg.OperationalError(), errors.StorageUnavailable),
        (psycopg.errors.AdminShutdown(), errors.StorageUnavailable),
        (NotImplementedError(), errors.MethodUnknown),
        (MemoryNotFound(), MemoryNotFound),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_translate_maps_driver_errors(raised: Exception, told: type[EverwordError]) -> None:
    assert type(translate(raised)) is told


@pytest.mark.parametrize(
    "raised",
    [
        psycopg.errors.UndefinedColumn("secret"),
        psycopg.errors.UniqueViolation("secret"),
        psycopg.errors.CheckViolation("secret"),
        KeyError("secret"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_translate_of_unexpected_errors_returns_none(raised: Exception) -> None:
    assert translate(raised) is None


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_has_one_error_info_and_no_detail_twice(kind: type[EverwordError]) -> None:
    status = to_status(kind(limit="7"), "a-request")
    names = [detail.TypeName().rpartition(".")[2] for detail in status.details]
    assert names.count("ErrorInfo") == 1
    assert len(set(names)) == len(names)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.domain, info.reason) == ("everword.dev", kind.reason)
    assert dict(info.metadata) == {"limit": "7", "request_id": "a-request"}
    assert status.code == grpc_code(kind()).value[0]
    assert status.message


def test_every_error_reason_has_an_error_class_and_vice_versa() -> None:
    used = {kind.reason for kind in ALL}
    stated = {name.removeprefix(_PREFIX) for name in ErrorReason.keys()} - {"UNSPECIFIED"}  # noqa: SIM118
    assert used == stated


def test_every_error_class_has_the_code_documented_in_the_proto() -> None:
    stated = dict(_DOCUMENTED.findall(PROTO.read_text(encoding="utf-8")))
    assert len(stated) == len(ErrorReason.keys()) - 1
    assert {(kind.reason, kind.code) for kind in ALL} == set(stated.items())


def test_every_reason_matches_error_info_format_and_length() -> None:
    for kind in ALL:
        assert re.fullmatch(r"[A-Z][A-Z0-9_]+[A-Z0-9]", kind.reason)
        assert len(kind.reason) <= 63


def test_violation_without_field_has_only_its_text_as_message() -> None:
    assert (
        errors.InvalidArgument(violations=(("", "give one of both"),)).message == "give one of both"
    )


def test_field_violations_become_a_bad_request() -> None:
    error = errors.InvalidArgument(violations=(("page_size", "is negative"), ("query", "is empty")))
    status = to_status(error, "")
    bad = error_details_pb2.BadRequest()
    assert status.details[1].Unpack(bad)
    assert [(v.field, v.description) for v in bad.field_violations] == list(error.violations)
    assert status.message == "page_size: is negative; query: is empty"


@pytest.mark.parametrize(
    ("error", "delay_ms"), [(errors.Overloaded(), 1000), (errors.ConcurrentUpdate(), 100)]
)
def test_transient_errors_have_a_retry_delay(error: EverwordError, delay_ms: int) -> None:
    retry = error_details_pb2.RetryInfo()
    assert to_status(error, "").details[1].Unpack(retry)
    assert retry.retry_delay.ToMilliseconds() == delay_ms


@pytest.mark.parametrize("letter", ["x", "ä", "語", "😀", "\n"], ids=ascii)
def test_long_caller_input_is_truncated_to_fit_error_trailers(letter: str) -> None:
    long = letter * 7_000
    violations = tuple((long, long) for _ in range(10))
    for error in (
        errors.InvalidArgument(violations=violations),
        errors.InvalidRegex(long, problem=long, pattern=long),
        ConversationNotFound(long, conversation_id=long),
        errors.RequestIdConflict(request_id=long),
    ):
        status = to_status(error, "a-request")
        sent = sum(len(value) for _, value in trailers(status)) * 4 // 3
        # gRPC percent-encodes non-ASCII characters of messages.
        sent += len(quote(status.message))
        assert sent < 8 * 1024
        info = error_details_pb2.ErrorInfo()
        assert status.details[0].Unpack(info)
        assert all(len(value) <= 200 for value in info.metadata.values())


def test_not_found_error_names_the_resource() -> None:
    status = to_status(ConversationNotFound(conversation_id="c1"), "")
    resource = error_details_pb2.ResourceInfo()
    assert status.details[1].Unpack(resource)
    assert (resource.resource_type, resource.resource_name) == ("conversation_id", "c1")


def test_error_message_is_first_docstring_paragraph_and_code_is_valid() -> None:
    for kind in ALL:
        assert kind().message == (kind.__doc__ or "").split("\n\n")[0]
        assert kind.code in grpc.StatusCode.__members__

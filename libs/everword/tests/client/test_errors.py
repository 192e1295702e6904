"""CallError, made from failed calls."""

from __future__ import annotations

import grpc

from everword.client.errors import CallError, to_call_error
from everword.domain.errors import EverwordError, InvalidArgument, Overloaded
from everword.domain.not_found import NamespaceNotFound
from everword.rpc.errors import grpc_code, to_status, trailers


def received(error: EverwordError) -> CallError:
    """Return `error` as it arrives at a client."""
    status = to_status(error, "r-1")
    metadata = grpc.aio.Metadata(*trailers(status))
    call = grpc.aio.AioRpcError(grpc_code(error), grpc.aio.Metadata(), metadata, status.message)
    return to_call_error(call, "there:1", "r-1")


def test_call_error_has_reason_message_and_metadata_of_the_server() -> None:
    error = received(NamespaceNotFound(namespace="acme"))
    assert error.code is grpc.StatusCode.NOT_FOUND
    assert error.reason == "NAMESPACE_NOT_FOUND"
    assert error.metadata["namespace"] == "acme"
    assert error.request_id == "r-1"
    assert error.retry_after_s is None
    assert str(error) == f"NAMESPACE_NOT_FOUND: {error.message} [request r-1]"


def test_call_error_has_every_violation_with_its_field() -> None:
    violations = (("messages[0].role", "is needed"), ("request_id", "is too long"))
    assert received(InvalidArgument(violations=violations)).violations == violations


def test_broken_rules_repeat_nothing_that_the_message_states() -> None:
    error = received(
        InvalidArgument("since: is not a time.", violations=(("since", "is not a time"),))
    )
    assert error.broken_rules == []
    other = received(InvalidArgument("Two rules.", violations=(("since", "is not a time"),)))
    assert other.broken_rules == ["since: is not a time."]


def test_call_error_has_the_retry_delay() -> None:
    assert received(Overloaded(limit=3)).retry_after_s == 1.0


def test_call_error_without_details_is_marked_unanswered() -> None:
    call = grpc.aio.AioRpcError(
        grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata(), "no route"
    )
    error = to_call_error(call, "there:1", "")
    assert error.is_unanswered
    assert (error.reason, error.address, str(error)) == ("", "there:1", "UNAVAILABLE: no route")


def test_call_cancelled_by_the_server_is_reported_as_unavailable() -> None:
    call = grpc.aio.AioRpcError(
        grpc.StatusCode.CANCELLED, grpc.aio.Metadata(), grpc.aio.Metadata(), "CANCELLED"
    )
    error = to_call_error(call, "there:1", "")
    assert error.is_unanswered
    assert str(error) == "UNAVAILABLE: the server ended, or too many calls were waiting for it"


def test_call_error_ignores_details_that_contradict_the_status() -> None:
    status = to_status(NamespaceNotFound(namespace="acme"), "")
    call = grpc.aio.AioRpcError(
        grpc.StatusCode.INTERNAL,
        grpc.aio.Metadata(),
        grpc.aio.Metadata(*trailers(status)),
        "something else",
    )
    assert to_call_error(call, "", "").reason == ""

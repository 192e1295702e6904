"""Interceptors around every call, their order, and their visible effects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

import grpc
import psycopg
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from everword.client.channel import open_channel
from everword.quotas.quotas import Quotas
from everword.rpc.authentication import Authenticator
from everword.rpc.health import Health
from everword.rpc.interceptors import ordered_interceptors
from everword.telemetry import names
from everword.v1 import ingest_service_pb2 as pb
from support.callers import raw_call, within
from support.calls import append, append_request, message
from support.databases import DatabaseUnderTest
from support.health import serving
from support.jobs import make_namespace
from support.refusals import refused
from support.stack import BASE, Stack, running_stack
from support.waits import until

WAITING = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'everword-ingest'
"""


@pytest.fixture
def nobody() -> Authenticator:
    """An authenticator that must not be called."""
    return Authenticator(None, BASE)  # type: ignore[arg-type]


def test_interceptors_are_in_the_required_order(nobody: Authenticator) -> None:
    quotas = Quotas(None)  # type: ignore[arg-type]
    health = Health(None, [])  # type: ignore[arg-type]
    interceptors = ordered_interceptors(BASE, nobody, quotas, health, [])
    order = [type(entry).__name__ for entry in interceptors]
    assert order == [
        "SheddingInterceptor",
        "TelemetryInterceptor",
        "RequestIdInterceptor",
        "ErrorInterceptor",
        "DeadlineInterceptor",
        "SchemaInterceptor",
        "AuthInterceptor",
        "KeyCheckInterceptor",
        "QuotaInterceptor",
        "CapacityInterceptor",
        "KeylessInterceptor",
        "ValidationInterceptor",
        "ScopeInterceptor",
        "CredentialInterceptor",
    ]


async def test_request_id_of_the_caller_is_returned_and_included_in_errors(stack: Stack) -> None:
    sent = (("x-request-id", "from-the-caller"),)
    call = stack.ingest.AppendMessages(append_request("Hello."), metadata=sent)
    await call
    assert dict(await call.initial_metadata())["x-request-id"] == "from-the-caller"
    refusal = await refused(stack.ingest.MarkUsed(pb.MarkUsedRequest(), metadata=sent))
    assert refusal.metadata["request_id"] == "from-the-caller"


@pytest.mark.parametrize("sent", ["", "x" * 129, "spaces are not plain", "{json}"])
async def test_request_id_unsafe_for_logs_is_replaced(stack: Stack, sent: str) -> None:
    call = stack.ingest.AppendMessages(append_request("Hello."), metadata=(("x-request-id", sent),))
    await call
    assert dict(await call.initial_metadata())["x-request-id"] != sent


async def test_unauthenticated_call_is_refused_before_validation(
    database: DatabaseUnderTest,
) -> None:
    """Authentication comes before validation."""
    async with running_stack(database, admin_key="operators-key", embedder=False) as stack:
        refusal = await refused(stack.ingest.AppendMessages(pb.AppendMessagesRequest()))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.UNAUTHENTICATED,
        "CREDENTIALS_MISSING",
    )


@pytest.mark.parametrize(
    "method",
    ["/everword.v1.IngestService/Forget", "/everword.v1.NoService/Do", "/other.Service/Do"],
)
async def test_unknown_method_is_named_in_the_error(stack: Stack, method: str) -> None:
    async with open_channel(stack.addresses["ingest"]) as channel:
        refusal = await refused(raw_call(channel, method, b""))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "METHOD_UNKNOWN")
    assert refusal.metadata["method"] == method


@contextmanager
def _held_conversation(database: DatabaseUnderTest) -> Iterator[None]:
    """Lock the row of every conversation, so that appends wait."""
    with (
        psycopg.connect(database.admin_url, options="-c search_path=everword,public") as conn,
        conn.transaction(),
    ):
        conn.execute("SELECT FROM conversations FOR UPDATE")
        yield


async def _until_waiting(database: DatabaseUnderTest, count: int) -> None:
    """Return once `count` statements of ingest wait for a lock."""
    with database.connect() as conn:
        await until(lambda: conn.execute(WAITING).fetchone() == (count,))


async def test_deadline_ends_the_call_and_its_database_statement(stack: Stack) -> None:
    await append(stack, "Before.")
    with _held_conversation(stack.database):
        call = asyncio.create_task(_append_within(stack, 3.0))
        await _until_waiting(stack.database, 1)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        await _until_waiting(stack.database, 0)
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM messages").fetchone() == (1,)


async def _append_within(stack: Stack, seconds: float) -> None:
    await stack.ingest.AppendMessages(append_request("Late."), timeout=seconds)


async def test_default_deadline_of_the_server_ends_a_call_with_its_reason(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller sets no deadline, so the server reports the end."""
    await append(stack, "Before.")
    with monkeypatch.context() as patched, _held_conversation(stack.database):
        patched.setattr("everword.rpc.interceptors.deadline.DEFAULT_S", 0.5)
        refusal = await refused(stack.ingest.AppendMessages(append_request("Late.")))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.DEADLINE_EXCEEDED,
        "DEADLINE_EXCEEDED",
    )
    await append(stack, "After.")


async def test_cancelled_call_leaves_no_running_statement(stack: Stack) -> None:
    await append(stack, "Before.")
    with _held_conversation(stack.database):
        call = stack.ingest.AppendMessages(append_request("Given up."))
        await _until_waiting(stack.database, 1)
        call.cancel()
        await _until_waiting(stack.database, 0)
    await append(stack, "After.")


async def test_call_returns_a_status_if_an_awaited_future_was_cancelled(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Otherwise the caller would wait until its own deadline, if any."""

    async def take(*_: object, **__: object) -> None:
        shared = asyncio.get_running_loop().create_future()
        shared.cancel()
        await shared

    monkeypatch.setattr("everword.rpc.capacity.CallShare.take", take)
    refusal = await refused(stack.ingest.AppendMessages(append_request("Hello.")))
    assert refusal.code is grpc.StatusCode.INTERNAL
    assert any(record.exc_info for record in caplog.records if record.getMessage() == "call failed")


@asynccontextmanager
async def _full_stack(
    database: DatabaseUnderTest,
) -> AsyncIterator[tuple[Stack, list[asyncio.Task[pb.AppendMessagesResponse]]]]:
    """A stack whose ingest service executes two calls at once, both blocked, and has a third waiting."""
    async with running_stack(
        database, server=replace(BASE, max_concurrent=4), embedder=False
    ) as stack:
        await append(stack, "Before.")
        with _held_conversation(database):
            held = [
                asyncio.ensure_future(stack.ingest.AppendMessages(append_request("Waits.")))
                for _ in range(3)
            ]
            await _until_waiting(database, 2)
            yield stack, held
        await asyncio.gather(*held, return_exceptions=True)


async def test_calls_beyond_the_limit_are_refused_with_retry_info(
    database: DatabaseUnderTest,
) -> None:
    async with _full_stack(database) as (stack, held):
        late = asyncio.ensure_future(stack.ingest.AppendMessages(append_request("One too many.")))
        # The longest waiting call is refused, not the latest one.
        [over], _ = await asyncio.wait([*held, late], return_when=asyncio.FIRST_COMPLETED)
        assert over is not late
        held.append(late)
        refusal = await refused(over)
        assert (refusal.code, refusal.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "OVERLOADED",
        )
        assert refusal.metadata["limit"] == "3"
        assert "RetryInfo" in refusal.details
    with database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM messages").fetchone() == (4,)


async def test_overload_refuses_calls_of_the_busiest_namespace_only(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seconds in (
        "admission.fair_share.RECENT_KEY_TTL_S",
        "admission.fair_share.MAX_WAIT_SECONDS",
        "rpc.shedding.KNOWN_S",
    ):
        monkeypatch.setattr(f"everword.{seconds}", 60.0)
    with database.connect() as conn:
        make_namespace(conn, "other")
    async with _full_stack(database) as (stack, held):
        other = asyncio.ensure_future(append(stack, "Waits.", metadata=within("other")))
        # The second of them finds one waiting for certain, and its caller is remembered.
        for number in (1, 2):
            one_more = stack.ingest.AppendMessages(append_request("Waits too."))
            held.append(asyncio.ensure_future(one_more))
            await until(lambda number=number: sum(each.done() for each in held) >= number)  # type: ignore[misc]
        sent = (("x-request-id", "one-too-many"),)
        call = stack.ingest.AppendMessages(append_request("One too many."), metadata=sent)
        refusal = await refused(call)
        assert dict(await call.initial_metadata())["x-request-id"] == "one-too-many"
        assert (refusal.code, refusal.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "OVERLOADED",
        )
        assert refusal.message.startswith("Too many calls of this caller")
        assert refusal.metadata["request_id"] == "one-too-many"
        assert "RetryInfo" in refusal.details
        held.append(other)
    await other


async def test_health_check_is_answered_at_full_capacity(database: DatabaseUnderTest) -> None:
    async with (
        _full_stack(database) as (stack, _),
        open_channel(stack.addresses["ingest"]) as channel,
    ):
        assert await serving(channel)


async def test_call_refused_early_releases_its_slot(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(
        database, server=replace(BASE, max_concurrent=1), embedder=False
    ) as stack:
        for _ in range(3):
            refusal = await refused(
                stack.ingest.AppendMessages(append_request("Hello."), metadata=within("nobody"))
            )
            assert refusal.reason == "NAMESPACE_NOT_FOUND"
        await append(stack, "Hello.")


async def _batches(number: int) -> AsyncIterator[pb.ImportMessagesRequest]:
    """A stream that continues although its second batch is refused."""
    for position in range(8):
        messages = [] if position == 1 else [message("word " * 2000)]
        yield pb.ImportMessagesRequest(batch=append_request(*messages, session_key=f"s{number}"))
        await asyncio.sleep(0.0005 * (number % 7))


@pytest.mark.parametrize("listed", [False, True], ids=["sent bit by bit", "sent at once"])
async def test_refused_stream_returns_its_error_before_the_stream_is_read_completely(
    stack: Stack, listed: bool
) -> None:
    """An asyncio client that writes into an ended call reports INTERNAL, without details."""
    for number in range(40):
        requests = [batch async for batch in _batches(number)] if listed else []
        stream = stack.ingest.ImportMessages(iter(requests) if listed else _batches(number))
        refusal = await refused(stream)
        assert (refusal.code, refusal.fields) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            {"batch.messages"},
        )


async def test_long_error_metadata_is_truncated_to_fit_trailers(stack: Stack) -> None:
    """Peers refuse trailers over 8 KiB with an error of their own."""
    refusal = await refused(append(stack, "Hello.", metadata=within("n" * 7000)))
    assert refusal.reason == "NAMESPACE_NOT_FOUND"
    assert len(refusal.metadata["namespace"]) == 200


def _server_span(spans: InMemorySpanExporter, method: str) -> ReadableSpan:
    [found] = [
        span
        for span in spans.get_finished_spans()
        if span.kind is SpanKind.SERVER and span.name == f"everword.v1.{method}"
    ]
    return found


async def test_call_span_belongs_to_the_trace_of_the_caller(
    stack: Stack, spans: InMemorySpanExporter
) -> None:
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    sent = (("traceparent", f"00-{trace_id}-b7ad6b7169203331-01"),)
    await stack.ingest.AppendMessages(append_request("Hello."), metadata=sent)
    span = _server_span(spans, "IngestService/AppendMessages")
    assert span.context is not None
    assert f"{span.context.trace_id:032x}" == trace_id
    assert span.attributes is not None
    assert span.attributes[names.RPC_STATUS] == "OK"


async def test_span_of_a_refused_call_is_an_error_only_for_server_faults(
    stack: Stack, spans: InMemorySpanExporter
) -> None:
    await refused(stack.ingest.MarkUsed(pb.MarkUsedRequest()))
    callers = _server_span(spans, "IngestService/MarkUsed")
    assert callers.attributes is not None
    assert callers.attributes[names.RPC_STATUS] == "INVALID_ARGUMENT"
    assert callers.status.status_code is not StatusCode.ERROR
    async with open_channel(stack.addresses["ingest"]) as channel:
        await refused(raw_call(channel, "/everword.v1.IngestService/Forget", b""))
    # Method names invented by a caller do not become names of time series.
    unknown: list[ReadableSpan] = []

    def ended() -> bool:
        unknown[:] = [span for span in spans.get_finished_spans() if span.name == "_OTHER"]
        return bool(unknown)

    await until(ended)
    [servers] = unknown
    assert servers.attributes is not None
    assert servers.attributes[names.ERROR_TYPE] == "UNIMPLEMENTED"
    assert servers.status.status_code is StatusCode.ERROR

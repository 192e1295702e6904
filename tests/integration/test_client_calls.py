"""The client's handling of a call, against a scripted server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from everword.client import CallError, Client, ClientSettings
from everword.client.headers import NAMESPACE_HEADER
from everword.client.interceptors import ATTEMPTS
from everword.domain.errors import ConcurrentUpdate, EverwordError, Overloaded
from everword.embedded.ports import free_ports
from everword.rpc import authentication
from everword.rpc.errors import grpc_code, to_status, trailers
from everword.telemetry import names
from everword.v1 import ingest_service_pb2 as pb
from everword.v1 import maintenance_service_pb2 as maintenance
from support.spans import trace_of

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass
class ScriptedService:
    """Fails a call with the scripted errors, and records the requests."""

    failures: list[EverwordError] = field(default_factory=list)
    #: Number of answers that break off after their beginning.
    broken_off: int = 0
    pause_s: float = 0.0
    requests: list[pb.MarkUsedRequest] = field(default_factory=list)
    metadata: list[dict[str, str]] = field(default_factory=list)
    deadlines: list[float] = field(default_factory=list)
    imported: int = 0

    async def MarkUsed(self, request: pb.MarkUsedRequest, context: Context) -> pb.MarkUsedResponse:
        self.requests.append(request)
        await self._answer(context)
        return pb.MarkUsedResponse()

    async def ImportMessages(
        self, requests: AsyncIterator[pb.ImportMessagesRequest], context: Context
    ) -> pb.ImportMessagesResponse:
        async for _ in requests:
            self.imported += 1
        await self._answer(context)
        return pb.ImportMessagesResponse(batches=self.imported)

    async def Sleep(
        self, request: maintenance.SleepRequest, context: Context
    ) -> AsyncIterator[maintenance.SleepResponse]:
        yield maintenance.SleepResponse(conversations=1)
        await self._answer(context)
        yield maintenance.SleepResponse(conversations=1, done=True)

    async def _answer(self, context: Context) -> None:
        self.metadata.append({str(k): str(v) for k, v in context.invocation_metadata() or ()})
        self.deadlines.append(context.time_remaining() or 0)
        await asyncio.sleep(self.pause_s)
        if self.broken_off:
            self.broken_off -= 1
            await context.send_initial_metadata((("x-request-id", "begun"),))
            await context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
        if self.failures:
            error = self.failures.pop(0)
            context.set_trailing_metadata(trailers(to_status(error, "")))
            await context.abort(grpc_code(error), error.message)

    def streaming_handlers(self) -> grpc.GenericRpcHandler:
        return grpc.method_handlers_generic_handler(
            "everword.v1.MaintenanceService",
            {
                "Sleep": grpc.unary_stream_rpc_method_handler(
                    self.Sleep,
                    maintenance.SleepRequest.FromString,
                    maintenance.SleepResponse.SerializeToString,
                )
            },
        )

    def handlers(self) -> grpc.GenericRpcHandler:
        return grpc.method_handlers_generic_handler(
            "everword.v1.IngestService",
            {
                "MarkUsed": grpc.unary_unary_rpc_method_handler(
                    self.MarkUsed,
                    pb.MarkUsedRequest.FromString,
                    pb.MarkUsedResponse.SerializeToString,
                ),
                "ImportMessages": grpc.stream_unary_rpc_method_handler(
                    self.ImportMessages,
                    pb.ImportMessagesRequest.FromString,
                    pb.ImportMessagesResponse.SerializeToString,
                ),
            },
        )


def retried(error: EverwordError, after_s: float = 0.001) -> EverwordError:
    """Return `error` with the advice to retry."""
    error.retry_after_s = after_s
    return error


@dataclass
class Pair:
    service: ScriptedService
    client: Client


@asynccontextmanager
async def connected(service: ScriptedService, settings: ClientSettings) -> AsyncIterator[Pair]:
    server = grpc.aio.server(handlers=[service.handlers(), service.streaming_handlers()])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    address = f"127.0.0.1:{port}"
    try:
        async with Client.connect(_at(settings, address)) as client:
            yield Pair(service, client)
    finally:
        await server.stop(0)


def _at(settings: ClientSettings, address: str) -> ClientSettings:
    return ClientSettings(
        address, address, address, settings.api_key, settings.namespace, None, settings.timeout_s
    )


@pytest.fixture
async def pair() -> AsyncIterator[Pair]:
    settings = ClientSettings(api_key="ew_key", namespace="acme", timeout_s=5.0)
    async with connected(ScriptedService(), settings) as pair:
        yield pair


def sleep(pair: Pair) -> AsyncIterator[maintenance.SleepResponse]:
    return aiter(pair.client.maintenance_service.Sleep(maintenance.SleepRequest()))


async def mark_used(pair: Pair, request_id: str = "", timeout: float | None = None) -> None:
    request = pb.MarkUsedRequest(memory_ids=["m"], request_id=request_id)
    await pair.client.ingest_service.MarkUsed(request, timeout=timeout)


async def test_retryable_error_is_retried_with_same_request_id(
    pair: Pair,
) -> None:
    pair.service.failures = [retried(ConcurrentUpdate()), retried(Overloaded(limit=1))]
    await mark_used(pair)
    ids = {request.request_id for request in pair.service.requests}
    assert len(pair.service.requests) == 3
    assert len(ids) == 1
    assert ids != {""}


async def test_interrupted_response_is_retried_with_same_request_id(pair: Pair) -> None:
    pair.service.broken_off = 2
    await mark_used(pair)
    ids = {request.request_id for request in pair.service.requests}
    assert (len(pair.service.requests), len(ids)) == (3, 1)


async def test_second_call_of_caller_gets_new_request_id(pair: Pair) -> None:
    request = pb.MarkUsedRequest(memory_ids=["m"])
    await pair.client.ingest_service.MarkUsed(request)
    await pair.client.ingest_service.MarkUsed(request)
    assert len({each.request_id for each in pair.service.requests}) == 2
    assert request.request_id == ""


async def test_request_id_of_caller_is_sent_unchanged(pair: Pair) -> None:
    await mark_used(pair, request_id="mine")
    assert pair.service.requests[0].request_id == "mine"


async def test_error_is_raised_after_last_attempt(pair: Pair) -> None:
    pair.service.failures = [retried(ConcurrentUpdate()) for _ in range(10)]
    with pytest.raises(CallError) as caught:
        await mark_used(pair)
    assert caught.value.reason == "CONCURRENT_UPDATE"
    assert len(pair.service.requests) == ATTEMPTS


async def test_non_retryable_error_is_raised_at_once(pair: Pair) -> None:
    pair.service.failures = [EverwordError()]
    with pytest.raises(CallError) as caught:
        await mark_used(pair)
    assert caught.value.code is grpc.StatusCode.INTERNAL
    assert len(pair.service.requests) == 1


async def test_retry_pause_beyond_deadline_raises_error_at_once(pair: Pair) -> None:
    pair.service.failures = [retried(Overloaded(limit=1), after_s=60.0)]
    started = time.monotonic()
    with pytest.raises(CallError) as caught:
        await mark_used(pair)
    assert caught.value.reason == "OVERLOADED"
    assert time.monotonic() - started < 30


async def test_call_has_default_or_own_deadline(pair: Pair) -> None:
    await mark_used(pair)
    await mark_used(pair, timeout=1.0)
    default, own = pair.service.deadlines
    assert default == pytest.approx(5.0, abs=0.5)
    assert own == pytest.approx(1.0, abs=0.5)


async def test_passed_deadline_raises_call_error(pair: Pair) -> None:
    pair.service.pause_s = 5.0
    with pytest.raises(CallError) as caught:
        await mark_used(pair, timeout=0.1)
    assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_cancelled_call_raises_cancelled_error(pair: Pair) -> None:
    pair.service.pause_s = 5.0
    call = asyncio.ensure_future(mark_used(pair))
    await asyncio.sleep(0.05)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def test_every_call_sends_api_key_namespace_and_request_id(pair: Pair) -> None:
    await mark_used(pair)
    await pair.client.ingest_service.ImportMessages(iter([pb.ImportMessagesRequest()]))
    assert [each.done async for each in sleep(pair)] == [False, True]
    assert len(pair.service.metadata) == 3
    for metadata in pair.service.metadata:
        assert metadata["authorization"] == "Bearer ew_key"
        assert metadata[NAMESPACE_HEADER] == "acme"
        assert metadata["x-request-id"]
    assert NAMESPACE_HEADER == authentication.NAMESPACE_HEADER


async def test_headers_of_call_override_settings(pair: Pair) -> None:
    request = pb.MarkUsedRequest(memory_ids=["m"])
    metadata = ((NAMESPACE_HEADER, "other"), ("x-request-id", "mine"))
    await pair.client.ingest_service.MarkUsed(request, metadata=metadata)
    [received] = pair.service.metadata
    assert received[NAMESPACE_HEADER] == "other"
    assert received["x-request-id"] == "mine"


async def test_request_stream_is_not_retried_and_raises_call_error(pair: Pair) -> None:
    pair.service.failures = [retried(ConcurrentUpdate())]
    batches = [pb.ImportMessagesRequest() for _ in range(3)]
    with pytest.raises(CallError) as caught:
        await pair.client.ingest_service.ImportMessages(iter(batches))
    assert caught.value.retry_after_s == 0.001
    assert pair.service.imported == 3
    response = await pair.client.ingest_service.ImportMessages(iter(batches))
    assert response.batches == 6


async def test_response_stream_has_deadline_and_span_and_raises_call_error(
    pair: Pair, spans: InMemorySpanExporter
) -> None:
    pair.service.failures = [retried(ConcurrentUpdate())]
    answers = sleep(pair)
    assert not (await anext(answers)).done
    with pytest.raises(CallError) as caught:
        await anext(answers)
    assert caught.value.retry_after_s == 0.001
    assert 4 < pair.service.deadlines[0] < 6
    [span] = trace_of(spans.get_finished_spans(), "everword.v1.MaintenanceService/Sleep")
    assert (span.attributes or {})[names.RPC_STATUS] == "ABORTED"
    assert span.context is not None
    [metadata] = pair.service.metadata
    assert f"{span.context.span_id:016x}" in metadata["traceparent"]


async def test_call_error_of_unreachable_server_has_its_address() -> None:
    address = f"127.0.0.1:{free_ports(1)[0]}"
    async with Client.connect(_at(ClientSettings(), address)) as client:
        with pytest.raises(CallError) as caught:
            await client.ingest_service.MarkUsed(pb.MarkUsedRequest())
    assert caught.value.is_unanswered
    assert caught.value.address == address


def client_span(spans: InMemorySpanExporter) -> ReadableSpan:
    [span] = trace_of(spans.get_finished_spans(), "everword.v1.IngestService/MarkUsed")
    assert span.kind is SpanKind.CLIENT
    return span


async def test_call_with_retries_is_one_span_propagated_to_server(
    pair: Pair, spans: InMemorySpanExporter
) -> None:
    pair.service.failures = [retried(ConcurrentUpdate())]
    await mark_used(pair)
    span = client_span(spans)
    assert dict(span.attributes or {}) == {
        names.RPC_SYSTEM: "grpc",
        names.RPC_METHOD: "everword.v1.IngestService/MarkUsed",
        names.RPC_STATUS: "OK",
    }
    assert span.status.status_code is StatusCode.UNSET
    assert span.context is not None
    assert len(pair.service.metadata) == 2
    for metadata in pair.service.metadata:
        assert (
            f"{span.context.trace_id:032x}-{span.context.span_id:016x}" in metadata["traceparent"]
        )


async def test_span_and_duration_of_failed_call_have_status(
    pair: Pair, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[tuple[str, float, dict[str, str]]] = []

    def histogram(name: str) -> SimpleNamespace:
        return SimpleNamespace(record=lambda value, labels: recorded.append((name, value, labels)))

    monkeypatch.setattr("everword.client.interceptors.duration_histogram", histogram)
    pair.service.failures = [EverwordError()]
    with pytest.raises(CallError):
        await mark_used(pair)
    span = client_span(spans)
    assert span.status.status_code is StatusCode.ERROR
    assert (span.attributes or {})[names.ERROR_TYPE] == "INTERNAL"
    [(name, seconds, labels)] = recorded
    assert name == names.RPC_CLIENT_DURATION
    assert 0 < seconds < 60
    assert labels[names.RPC_STATUS] == "INTERNAL"

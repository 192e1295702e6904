"""Log lines for operators: one for each refused call, and none while idle."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import grpc
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.db.pool import Database
from everword.db.statements import Statement
from everword.observability.logs import JsonFormatter
from everword.telemetry import names
from everword.v1 import search_service_pb2 as pb
from support.calls import append
from support.databases import DatabaseUnderTest
from support.refusals import refused
from support.stack import Stack, running_stack


class Lines(logging.Handler):
    """Collects lines as they appear on standard output."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonFormatter("search"))
        self.lines: list[dict[str, object]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(self.format(record)))


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator[list[dict[str, object]]]:
    handler = Lines()
    log = logging.getLogger("everword.rpc.interceptors.errors")
    caplog.set_level(logging.INFO, log.name)
    log.addHandler(handler)
    yield handler.lines
    log.removeHandler(handler)


async def test_refused_call_logs_one_line_with_the_request_id_of_its_span(
    stack: Stack, lines: list[dict[str, object]], spans: InMemorySpanExporter
) -> None:
    sent = (("x-request-id", "from-the-caller"),)
    gone = pb.GetMemoryRequest(memory_id=str(uuid4()))
    secret = "whoever-reads-logs-must-not-learn-it"
    bad = pb.SearchRequest(query=secret, page_size=-1, max_content_chars=-1)
    unset = stack.search.Answer(pb.AnswerRequest(query=secret), metadata=sent)
    for call in (
        stack.search.GetMemory(gone, metadata=sent),
        stack.search.Search(bad, metadata=sent),
        unset,
    ):
        await refused(call)
    told = [(line["method"], line["code"], line["reason"], line.get("fields")) for line in lines]
    service = "/everword.v1.SearchService/"
    assert sorted(told, key=str) == [
        (f"{service}Answer", "FAILED_PRECONDITION", "CHAT_NOT_CONFIGURED", None),
        (f"{service}GetMemory", "NOT_FOUND", "MEMORY_NOT_FOUND", None),
        (
            f"{service}Search",
            "INVALID_ARGUMENT",
            "VALIDATION_FAILED",
            ["page_size", "max_content_chars"],
        ),
    ]
    for line in lines:
        assert (line["level"], line["event"]) == ("INFO", "call refused")
        assert line["request_id"] == "from-the-caller"
        (span,) = [
            span
            for span in spans.get_finished_spans()
            if span.context and f"{span.context.span_id:016x}" == line["span_id"]
        ]
        assert span.attributes
        assert span.attributes[names.REQUEST_ID] == "from-the-caller"
    assert secret not in json.dumps(lines)


async def test_unavailable_dependency_logs_a_warning_and_a_bug_an_error(
    stack: Stack, lines: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    semantic = pb.SearchRequest(query="x", mode=pb.SEARCH_MODE_SEMANTIC)
    assert (await refused(stack.search.Search(semantic))).code is grpc.StatusCode.UNAVAILABLE
    monkeypatch.setattr("everword_search.servicer.browse", None)
    assert (await refused(stack.search.Browse(pb.BrowseRequest()))).reason == "INTERNAL"
    assert [(line["level"], line["event"]) for line in lines] == [
        ("WARNING", "call not answered"),
        ("ERROR", "call failed"),
    ]
    assert lines[0]["reason"] == "EMBEDDER_UNAVAILABLE"
    assert all(line["request_id"] for line in lines)


async def test_idle_services_create_no_spans(
    database: DatabaseUnderTest,
    valkey_url: str,
    spans: InMemorySpanExporter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("everword.rpc.health.CHECK_INTERVAL_S", 0.05)
    monkeypatch.setattr("everword.jobs.publisher.POLL_S", 0.05)
    monkeypatch.setattr("everword_ingest.housekeeping.housekeeping.INTERVAL_S", 0.05)
    asked: list[str] = []
    probe = Database.probe

    async def counted(database: Database, statement: Statement) -> Any:
        asked.append(statement.name)
        return await probe(database, statement)

    monkeypatch.setattr(Database, "probe", counted)
    async with running_stack(database, redis_url=valkey_url, embedder=False) as stack:
        asked.clear()
        spans.clear()
        await asyncio.sleep(0.5)
        assert len(asked) > 8
        assert [span.name for span in spans.get_finished_spans()] == []
        await append(stack, "Something to do.")
        assert "insert_messages" in {span.name for span in spans.get_finished_spans()}

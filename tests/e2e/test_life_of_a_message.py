"""Checks ARCHITECTURE.md's "Life of a message", and its tables, against the code."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from opentelemetry import propagate, trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.v1 import search_service_pb2
from support.calls import append_request, message
from support.spans import trace_of
from support.stack import Stack
from support.tool_calls import tool_call

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*ROOT.glob("libs/*/src/everword"), *ROOT.glob("services/*/src")]


@dataclass(frozen=True)
class Step:
    number: int
    where: list[str]
    statements: list[str]
    span: str


def steps(heading: str = "Life of a message") -> list[Step]:
    """Return the rows of the tables of steps below a heading."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    text = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].isdigit():
            span = cells[4].strip("`") if cells[4] != "—" else ""
            found.append(
                Step(
                    int(cells[0]),
                    re.findall(r"`([^`]+)`", cells[2]),
                    re.findall(r"`(\w+)`", cells[3]),
                    span,
                )
            )
    return found


def test_architecture_tables_name_existing_files_and_functions() -> None:
    assert [step.number for step in steps()] == list(range(1, 12))
    background = steps("Background work")
    assert [step.number for step in background] == [*range(1, 8), *range(1, 12)]
    for where in (place for step in steps() + background for place in step.where):
        file, _, name = where.partition(": ")
        [path] = [source / file for source in SOURCES if (source / file).exists()]
        defined = {
            node.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        assert name in defined, where


def test_architecture_tables_name_existing_sql_statements() -> None:
    named = {
        name
        for source in SOURCES
        for queries in source.rglob("queries.sql")
        for name in re.findall(r"^-- (\w+) --$", queries.read_text(), re.MULTILINE)
    }
    for step in steps() + steps("Background work"):
        assert set(step.statements) <= named, step


async def test_trace_of_append_and_search_has_spans_of_architecture_table(
    stack: Stack, spans: InMemorySpanExporter
) -> None:
    with trace.get_tracer("caller").start_as_current_span("caller"):
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        metadata = tuple(carrier.items())
        appended = await stack.ingest.AppendMessages(
            append_request(message("The cutover moves to Thursday."), tool_call(), request_id="r"),
            metadata=metadata,
        )
        found = await stack.search.Search(
            search_service_pb2.SearchRequest(
                query="when is the cutover?", at_least_as_fresh=appended.consistency_token
            ),
            metadata=metadata,
        )
        hit, *_ = found.results
        whole = await stack.search.GetMemory(
            search_service_pb2.GetMemoryRequest(memory_id=hit.memory.id), metadata=metadata
        )
    assert whole.memory.content == "The cutover moves to Thursday."
    assert whole.memory.id == appended.messages[0].message_id

    traced = trace_of(spans.get_finished_spans(), "caller")
    names = {span.name for span in traced}
    for step in steps():
        assert not step.span or step.span in names, step
        assert set(step.statements) <= names | CACHED, step


#: Statements that a warm process may skip.
CACHED = {"api_keys_exist", "find_namespace"}

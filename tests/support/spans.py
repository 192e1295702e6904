"""Spans recorded by the code under test."""

from __future__ import annotations

from functools import cache

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@cache
def exporter() -> InMemorySpanExporter:
    """Return the exporter of this process; a tracer provider can be set only once."""
    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    trace.set_tracer_provider(provider)
    return memory


def trace_of(spans: tuple[ReadableSpan, ...], name: str) -> list[ReadableSpan]:
    last = [span for span in spans if span.name == name][-1]
    assert last.context is not None
    trace_id = last.context.trace_id
    return [span for span in spans if span.context and span.context.trace_id == trace_id]

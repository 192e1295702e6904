"""Telemetry of each request to a chat model, and the record of its cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from opentelemetry.trace import Span, SpanKind

from everword.chat.errors import ChatError
from everword.chat.model import ChatRequest, UsageRecord
from everword.chat.reply import Reply
from everword.chat.settings import ChatSettings
from everword.telemetry import names
from everword.telemetry.tracing import counter, duration_histogram, tracer


@contextmanager
def observed(
    request: ChatRequest, settings: ChatSettings, record: Callable[[UsageRecord], None]
) -> Iterator[Reply]:
    """Lend the reply to fill, in a span of its own; afterwards it is counted and recorded, whatever became of it."""
    labels = {
        names.GEN_AI_OPERATION: "chat",
        names.GEN_AI_PROVIDER: "openai",
        names.GEN_AI_MODEL: settings.model,
        names.CHAT_TASK: request.task,
    }
    reply = Reply()
    outcome = "cancelled"
    started = time.perf_counter()
    with tracer().start_as_current_span(
        f"chat {settings.model}",
        kind=SpanKind.CLIENT,
        attributes={**labels, **_request_attributes(request, settings)},
    ) as span:
        try:
            yield reply
            outcome = "ok"
        except ChatError as error:
            outcome = error.outcome
            labels[names.ERROR_TYPE] = type(error).__name__
            raise
        finally:
            seconds = time.perf_counter() - started
            if outcome == "cancelled":
                labels[names.ERROR_TYPE] = outcome
            _record_reply(span, reply, labels)
            _count(reply, labels, seconds)
            usage = reply.usage
            record(
                UsageRecord(
                    task=request.task,
                    model=settings.model,
                    endpoint=settings.endpoint,
                    input_tokens=usage.input_tokens,
                    output_tokens=usage.output_tokens,
                    outcome=outcome,
                    seconds=seconds,
                    cached_tokens=usage.cached_tokens,
                )
            )


def _request_attributes(
    request: ChatRequest, settings: ChatSettings
) -> dict[str, str | int | float]:
    server = urlsplit(settings.url)
    return {
        names.SERVER_ADDRESS: server.hostname or "",
        names.SERVER_PORT: server.port or (443 if server.scheme == "https" else 80),
        names.GEN_AI_MAX_TOKENS: request.max_tokens,
        names.GEN_AI_TEMPERATURE: request.temperature,
        names.GEN_AI_OUTPUT_TYPE: "text" if request.schema is None else "json",
    }


def _record_reply(span: Span, reply: Reply, labels: dict[str, str]) -> None:
    if error := labels.get(names.ERROR_TYPE):
        span.set_attribute(names.ERROR_TYPE, error)
    if reply.model:
        span.set_attribute(names.GEN_AI_RESPONSE_MODEL, reply.model)
    if reply.finish_reason:
        span.set_attribute(names.GEN_AI_FINISH_REASONS, [reply.finish_reason])
    span.set_attribute(names.GEN_AI_TOKENS, reply.usage.input_tokens)
    span.set_attribute(names.GEN_AI_OUTPUT_TOKENS, reply.usage.output_tokens)


def _count(reply: Reply, labels: dict[str, str], seconds: float) -> None:
    duration_histogram(names.CHAT_DURATION, bounds=names.CHAT_BUCKETS).record(seconds, labels)
    tokens = counter(names.CHAT_TOKENS, "{token}")
    tokens.add(reply.usage.input_tokens, {**labels, names.GEN_AI_TOKEN_TYPE: "input"})
    tokens.add(reply.usage.output_tokens, {**labels, names.GEN_AI_TOKEN_TYPE: "output"})

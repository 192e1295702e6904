"""Metrics and spans of each call of a model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from opentelemetry import trace

from everword.telemetry import names
from everword.telemetry.tracing import counter, duration_histogram, tracer
from everword_embedder.providers.errors import ProviderError
from everword_embedder.providers.provider import EmbeddingProvider
from everword_embedder.providers.vectors import Vectors

#: Collects the tokens read by the calls of the current request. A batch runs in the context of its first caller.
_receipt: ContextVar[list[int] | None] = ContextVar("everword_embedding_receipt", default=None)


@contextmanager
def receipt() -> Iterator[list[int]]:
    """Yield a list to which every call of a model within the block appends the number of tokens that it read."""
    read: list[int] = []
    token = _receipt.set(read)
    try:
        yield read
    finally:
        _receipt.reset(token)


async def observed_embed(
    provider: EmbeddingProvider,
    texts: Sequence[str],
    linked: Sequence[trace.Link] = (),
    *,
    urgent: bool = True,
) -> Vectors:
    """Embed texts, with metrics and a span that is linked to the spans of the waiting callers."""
    labels = {
        names.GEN_AI_OPERATION: "embeddings",
        names.GEN_AI_PROVIDER: provider.name,
        names.GEN_AI_MODEL: provider.model,
    }
    sizes = {names.GEN_AI_DIMENSIONS: provider.dimensions, names.EMBED_BATCH: len(texts)}
    started = time.perf_counter()
    with tracer().start_as_current_span(
        f"embeddings {provider.model}",
        kind=trace.SpanKind.CLIENT,
        attributes={**labels, **sizes},
        links=linked,
    ) as span:
        try:
            vectors = await provider.embed(texts, urgent=urgent)
        except ProviderError as error:
            labels[names.ERROR_TYPE] = type(error).__name__
            span.set_attribute(names.ERROR_TYPE, type(error).__name__)
            raise
        finally:
            duration_histogram(names.EMBED_DURATION).record(time.perf_counter() - started, labels)
    counter(names.EMBED_TEXTS, "{text}").add(len(texts), labels)
    return vectors


def record_tokens(provider: EmbeddingProvider, tokens: int) -> None:
    """Record the tokens that a model read: in the metric, on the current span and in the receipt."""
    if (read := _receipt.get()) is not None:
        read.append(tokens)
    trace.get_current_span().set_attribute(names.GEN_AI_TOKENS, tokens)
    labels = {names.GEN_AI_PROVIDER: provider.name, names.GEN_AI_MODEL: provider.model}
    counter(names.EMBED_TOKENS, "{token}").add(tokens, labels)

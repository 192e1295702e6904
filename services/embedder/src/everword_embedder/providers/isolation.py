"""Find the text because of which a batch fails, and embed the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from opentelemetry.trace import Link

from everword_embedder.providers.errors import (
    BatchRefused,
    ProviderError,
    ProviderUnavailable,
    WrongAnswer,
)
from everword_embedder.providers.provider import EmbeddingProvider
from everword_embedder.providers.telemetry import observed_embed
from everword_embedder.providers.vectors import Vector

#: The result for a text: its vector, or its error.
Outcome: TypeAlias = "Vector | ProviderError"
#: Characters that every model can read. A shorter text is not refused because of its length.
_SHORT = 200
#: A text that every model can embed. If it fails too, the error is not due to the other text.
PROBE = "The quick brown fox jumps over the lazy dog."


async def embed_isolating(
    provider: EmbeddingProvider,
    texts: Sequence[str],
    linked: Sequence[Link] = (),
    *,
    urgent: bool = True,
) -> list[Outcome]:
    """Return the result of each text: its vector, or the error if every batch with the text fails.

    A refused batch is split in halves until the bad text is alone. `linked` are the waiting spans other than the
    current one. Raises ProviderUnavailable if the provider is at fault and not a text.
    """
    try:
        return list(await observed_embed(provider, texts, linked, urgent=urgent))
    except (BatchRefused, WrongAnswer) as error:
        await _refuse_if_provider_is_to_blame(provider, error)
        return await _split(provider, texts, error)


async def _refuse_if_provider_is_to_blame(
    provider: EmbeddingProvider, error: ProviderError
) -> None:
    try:
        await observed_embed(provider, [PROBE])
    except (BatchRefused, WrongAnswer) as probed:
        raise ProviderUnavailable(f"the model cannot embed any text: {probed}") from error


async def _embed_beginning(provider: EmbeddingProvider, text: str, error: ProviderError) -> Outcome:
    """Embed a beginning of a refused text that the model accepts; return `error` if a short one is refused, too.

    Most servers refuse a text with more tokens than their model reads, instead of cutting it.
    """
    while isinstance(error, BatchRefused) and len(text) > _SHORT:
        text = text[: len(text) // 2]
        try:
            vectors = await observed_embed(provider, [text])
        except (BatchRefused, WrongAnswer):
            continue
        vector: Vector = vectors[0]
        return vector
    return error


async def _split(
    provider: EmbeddingProvider, texts: Sequence[str], error: ProviderError
) -> list[Outcome]:
    """Embed each half of a batch that failed with `error`; if the batch has one text, the error is its result."""
    if len(texts) == 1:
        return [await _embed_beginning(provider, texts[0], error)]
    middle = len(texts) // 2
    outcomes: list[Outcome] = []
    for half in (texts[:middle], texts[middle:]):
        try:
            outcomes.extend(await observed_embed(provider, half))
        except (BatchRefused, WrongAnswer) as again:
            outcomes.extend(await _split(provider, half, again))
    return outcomes

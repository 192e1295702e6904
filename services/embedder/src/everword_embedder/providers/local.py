"""The provider that needs no server: a small model on the CPU of the embedder's own process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.generation import LOCAL, ModelGeneration
from everword_embedder.providers.local_model import (
    DIMENSIONS,
    MAX_TOKENS,
    NAME,
    LocalModelHolder,
)
from everword_embedder.providers.provider import BatchLimits
from everword_embedder.providers.telemetry import record_tokens
from everword_embedder.providers.vectors import Vectors, unit_vectors


class LocalProvider:
    """Embeds texts one by one, as many at once as there are threads."""

    name = LOCAL
    model = NAME
    max_tokens: int | None = MAX_TOKENS

    def __init__(self, generation: ModelGeneration, holder: LocalModelHolder) -> None:
        if generation.model != NAME:
            raise ProviderMisconfigured(
                f"the local model is {NAME}; there is no {generation.model}"
            )
        self.dimensions = generation.dimensions
        self.limits = BatchLimits(texts=1, characters=1, background=holder.threads)
        self._matryoshka = generation.matryoshka
        self._holder = holder

    async def embed(self, texts: Sequence[str], *, urgent: bool = True) -> Vectors:
        # Shielded: others wait for the same model to be loaded.
        model = await asyncio.shield(asyncio.wrap_future(self._holder.model()))
        embedded = await asyncio.gather(
            *(asyncio.wrap_future(self._holder.embed(model, text, urgent)) for text in texts)
        )
        record_tokens(self, sum(one.tokens for one in embedded))
        native = np.array([one.vector for one in embedded]).reshape(len(texts), DIMENSIONS)
        return unit_vectors(native, len(texts), self.dimensions, self._matryoshka)

    async def close(self) -> None:
        """Does nothing: the model is shared, and closed by who opened it."""

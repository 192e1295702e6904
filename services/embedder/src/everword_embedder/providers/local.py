"""The provider without a server: runs a model on the CPU in the embedder's process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from everword_embedder.providers.generation import LOCAL, ModelGeneration
from everword_embedder.providers.local_model import PACKAGED_MODELS, LocalModelHolder
from everword_embedder.providers.provider import BatchLimits
from everword_embedder.providers.telemetry import record_tokens
from everword_embedder.providers.vectors import Vectors, unit_vectors

#: Characters of the texts in one call: about half a second of one slow core.
_CALL_CHARACTERS = 8192


class LocalProvider:
    """Embeds texts in a few threads: queries one by one, passages in small batches if that is faster."""

    name = LOCAL

    def __init__(self, generation: ModelGeneration, holder: LocalModelHolder) -> None:
        self.model = generation.model
        packaged = PACKAGED_MODELS.get(generation.model)
        self.max_tokens = generation.max_tokens
        if not generation.endpoint and packaged:
            self.max_tokens = packaged.configuration.max_tokens
        self.dimensions = generation.dimensions
        self._matryoshka = generation.matryoshka
        self._holder = holder

    @property
    def limits(self) -> BatchLimits:
        loaded = self._holder.loaded
        batch = loaded.batch if loaded else 1
        return BatchLimits(batch, _CALL_CHARACTERS, self._holder.threads, queries=1)

    async def embed(self, texts: Sequence[str], *, urgent: bool = True) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        # Shielded: others wait for the same model to be loaded.
        model = await asyncio.shield(asyncio.wrap_future(self._holder.model()))
        embedded = await asyncio.wrap_future(self._holder.embed(model, texts, urgent))
        record_tokens(self, sum(one.tokens for one in embedded))
        native = np.array([one.vector for one in embedded], np.float32)
        return unit_vectors(native, len(texts), self.dimensions, self._matryoshka)

    async def close(self) -> None:
        """Do nothing: the model is shared, and `ProviderFactory` closes it."""

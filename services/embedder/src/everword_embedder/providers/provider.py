"""The protocol of embedding providers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from everword_embedder.providers.vectors import Vectors


@dataclass(frozen=True)
class BatchLimits:
    """The limits of a provider's calls."""

    texts: int
    """Maximum texts in one call."""
    characters: int
    """Maximum characters in one call of several texts."""
    background: int
    """Maximum concurrent calls for a backlog. Two more are reserved for queries and short work."""
    queries: int
    """Maximum queries in one call; 1 for a local model, because a call returns only after its last text."""


class EmbeddingProvider(Protocol):
    """Embeds texts as unit vectors of one model, all with the same dimensions."""

    @property
    def name(self) -> str:
        """The kind of provider: `local` or `openai`."""

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def limits(self) -> BatchLimits: ...

    @property
    def max_tokens(self) -> int | None:
        """Return how many tokens of a text the model reads; None until it is known."""

    async def embed(self, texts: Sequence[str], *, urgent: bool = True) -> Vectors:
        """Return one unit vector for each text, in order: float32, (texts, dimensions).

        Without `urgent`, a model on this machine runs at lower priority.

        There is no time-out: cancel it to give up. Raises ProviderError, without partial results.
        """

    async def close(self) -> None: ...

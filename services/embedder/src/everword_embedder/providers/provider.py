"""The protocol of every provider of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from everword_embedder.providers.vectors import Vectors


@dataclass(frozen=True)
class BatchLimits:
    """The most that a provider takes at once."""

    texts: int
    """Texts in one call."""
    characters: int
    """Characters in one call, unless it is of a single text."""
    background: int
    """Calls at once for a backlog. Two more are kept free, so that neither a query nor a few texts wait behind it."""
    queries: int
    """Queries in one call; 1 for a local model, since a call returns only after its last text."""


class EmbeddingProvider(Protocol):
    """Turns texts into unit vectors of one model, all of the same dimensions."""

    @property
    def name(self) -> str:
        """The kind of provider, as generations name it."""

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

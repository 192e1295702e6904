"""A model generation: everything that decides which vector a text gets."""

from __future__ import annotations

from dataclasses import dataclass

LOCAL = "local"
OPENAI = "openai"


@dataclass(frozen=True)
class ModelGeneration:
    """The model that a row of model_generations describes. It never changes; another model is another generation."""

    id: int
    provider: str
    """`local` or `openai`."""
    endpoint: str
    """The URL of the model's server; empty for EVERWORD_EMBED_URL."""
    model: str
    dimensions: int
    matryoshka: bool
    """The model's vectors may be cut to `dimensions`."""
    query_prefix: str
    passage_prefix: str

"""A model generation: everything that decides which vector a text gets."""

from __future__ import annotations

from dataclasses import dataclass

LOCAL = "local"
OPENAI = "openai"


@dataclass(frozen=True)
class ModelGeneration:
    """What a row of model_generations says about the model. It never changes; another model is another generation."""

    id: int
    provider: str
    """`local` or `openai`."""
    endpoint: str
    """Where the model is served; empty for EVERWORD_EMBED_URL."""
    model: str
    dimensions: int
    matryoshka: bool
    """Whether the model's vectors may be cut to `dimensions`."""
    query_prefix: str
    passage_prefix: str

"""A model generation: a model with all settings on which a text's vector depends."""

from __future__ import annotations

from dataclasses import dataclass

from everword_embedder.providers.configuration import Pooling

LOCAL = "local"
OPENAI = "openai"


@dataclass(frozen=True)
class ModelGeneration:
    """A row of model_generations. The settings of a row never change; other settings are another generation."""

    id: int
    provider: str
    """`local` or `openai`."""
    endpoint: str
    """The URL of the model's server, empty for EVERWORD_EMBED_URL; for a local model the folder of its files, empty for
    the packaged model.
    """
    model: str
    dimensions: int
    matryoshka: bool
    """The model's vectors may be cut to `dimensions`."""
    query_prefix: str
    passage_prefix: str
    weights: str = ""
    """The path of the ONNX file in the folder of a local model."""
    files_sha256: str = ""
    """SHA-256 of the added files. Changed files are refused, because they would mix vectors of two models."""
    pooling: str = Pooling.MEAN
    max_tokens: int | None = None
    """Maximum tokens of a text for a model in a folder; None for other models."""
    other_languages: bool = False
    """The packaged model had embedded a text that is not English before this row was read."""

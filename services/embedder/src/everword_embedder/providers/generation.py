"""A model generation: everything that decides which vector a text gets."""

from __future__ import annotations

from dataclasses import dataclass

from everword_embedder.providers.configuration import Pooling

LOCAL = "local"
OPENAI = "openai"


@dataclass(frozen=True)
class ModelGeneration:
    """The model that a row of model_generations describes. It never changes; another model is another generation."""

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
    """Hash of the files from which a folder's model was added; changed files would mix vectors of two models."""
    pooling: str = Pooling.MEAN
    max_tokens: int | None = None
    """Tokens that a model in a folder reads; None for other models."""

"""Check vectors, cut them to the generation's dimensions, and scale them to length one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from everword_embedder.providers.errors import ProviderMisconfigured, WrongAnswer

#: One vector: float32, (dimensions,).
Vector = NDArray[np.float32]
#: Some vectors: float32, (texts, dimensions).
Vectors = NDArray[np.float32]


def unit_vectors(answer: Vectors, texts: int, dimensions: int, matryoshka: bool) -> Vectors:
    """Return the vectors of `texts` texts, cut to `dimensions` and of length one.

    Only the vectors of a Matryoshka model may be longer than `dimensions`: their first numbers are a vector themselves.
    Raises WrongAnswer for a wrong number of vectors or a vector without a direction, and ProviderMisconfigured for
    wrong dimensions: that is another model than the one the generation was made for.
    """
    if answer.ndim != 2 or len(answer) != texts:
        raise WrongAnswer(f"{len(answer)} vectors were returned for {texts} texts")
    given = answer.shape[1]
    if given < dimensions or (given > dimensions and not matryoshka):
        raise ProviderMisconfigured(
            f"vectors have {given} dimensions instead of {dimensions}: this is another model, or "
            "its generation is not declared Matryoshka"
        )
    cut = answer[:, :dimensions].astype(np.float32)
    # In float64 the square of no finite float32 overflows.
    lengths = np.linalg.norm(cut.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise WrongAnswer("a vector is zero or contains a value that is not a number")
    unit: Vectors = (cut / lengths).astype(np.float32)
    return unit


def to_bytes(vector: Vector) -> bytes:
    """Return a vector as bytes: float32, little-endian."""
    return vector.astype("<f4").tobytes()


def from_bytes(raw: bytes) -> Vector:
    """Return the vector in `raw`: float32, little-endian."""
    return np.frombuffer(raw, "<f4").astype(np.float32)

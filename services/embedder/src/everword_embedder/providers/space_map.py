"""Map vectors of one model into the space of another.

A linear map between two models that are trained for the same purpose is nearly a rotation (Procrustes; Schönemann,
1966). It was fitted on English texts that both models embedded (`scripts/train_space_map.py`). The rotation leaves the
cosines among mapped vectors as they are, so texts in other languages are compared as well as by their own model.

The vectors of multilingual-e5-small are in a narrow cone: unrelated passages have a cosine of about .8. Most of their
mean is subtracted first.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from everword_embedder.providers.vectors import Vector


@dataclass(frozen=True)
class Background:
    """Mean and standard deviation of the cosines of a query with unrelated passages."""

    mean: float
    deviation: float


#: Of mapped queries with mapped passages: chosen so that evidence and the nearest passages of unanswerable questions in
#: German, Spanish, Norwegian, Japanese and Arabic chats are as many deviations away as in English ones.
OTHER_LANGUAGES = Background(0.42, 0.05)


@dataclass(frozen=True)
class SpaceMap:
    """The map of one model's vectors."""

    #: Subtracted from unit vectors of questions, and of passages: float32, (dimensions,).
    query_mean: NDArray[np.float32]
    passage_mean: NDArray[np.float32]
    #: float32, (dimensions, dimensions of the other model).
    rotation: NDArray[np.float32]

    def apply(self, vector: Vector, *, is_query: bool) -> Vector:
        """Return a vector in the other model's space, not scaled to length one."""
        mean = self.query_mean if is_query else self.passage_mean
        mapped: Vector = (vector / np.linalg.norm(vector) - mean) @ self.rotation
        return mapped


def read_space_map() -> SpaceMap:
    """Return the map of multilingual-e5-small into the space of all-MiniLM-L6-v2."""
    with (files(__package__) / "e5_to_minilm.npz").open("rb") as file:
        stored = np.load(file)
        return SpaceMap(
            stored["query_mean"],
            stored["passage_mean"],
            stored["rotation"].astype(np.float32),
        )

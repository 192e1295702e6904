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

from everword.text.text_language import guess_language, is_english
from everword_embedder.providers.vectors import Vector


@dataclass(frozen=True)
class Background:
    """Mean and standard deviation of the cosines of a query with unrelated passages."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class QueryBackgrounds:
    """The backgrounds of a query in the space of both models."""

    #: For passages in English; None for that of the generation.
    english: Background | None
    #: For passages in other languages.
    others: Background


#: For English queries with mapped passages, and for mapped queries with English passages.
_FROM_ENGLISH, _TO_ENGLISH = Background(0.12, 0.05), Background(0.13, 0.065)
#: Of mapped queries with mapped passages: chosen so that evidence and the nearest passages of unanswerable questions in
#: German, Spanish, Japanese and Arabic chats are as many deviations away as in English ones.
_OTHER_MEAN, _OTHER_DEVIATION = 0.42, 0.05
#: Means of languages that differ by .03 or more, among the same sentences in 16 languages and in chats: with .42, .9 of
#: the questions about nothing in a Chinese or Norwegian chat were taken for answerable. A mean by query, from its
#: cosines with the candidates or with other texts, separated them worse (docs/retrieval.md).
_MEANS = {
    "chinese": 0.5,
    "polish": 0.46,
    "norwegian": 0.46,
    "danish": 0.46,
    "thai": 0.45,
    "hindi": 0.38,
}


def find_backgrounds(query: str) -> QueryBackgrounds:
    """Return the backgrounds of a query."""
    if is_english(query):
        return QueryBackgrounds(None, _FROM_ENGLISH)
    mean = _MEANS.get(guess_language(query), _OTHER_MEAN)
    return QueryBackgrounds(_TO_ENGLISH, Background(mean, _OTHER_DEVIATION))


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

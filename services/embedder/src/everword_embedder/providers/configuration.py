"""The properties of a model on which, together with its files, a text's vector depends."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Pooling(enum.StrEnum):
    """How one vector is made of the vectors of a text's tokens."""

    MEAN = "mean"
    #: The vector of the first token.
    CLS = "cls"
    #: The vector of the last token.
    LAST = "last"
    #: The ONNX graph returns one vector for each text.
    GRAPH = "graph"


@dataclass(frozen=True)
class ModelConfiguration:
    """The configuration of a model that this process can run.

    Vectors are always scaled to length one, because they are compared by their cosines.
    """

    #: Numbers in a vector.
    dimensions: int
    #: Tokens that the model reads; a longer text is cut.
    max_tokens: int
    pooling: Pooling = Pooling.MEAN
    #: Text before each question, and before each passage.
    query_prefix: str = ""
    passage_prefix: str = ""

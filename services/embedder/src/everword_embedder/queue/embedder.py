"""The interface by which a worker makes vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt


class TextsRejected(Exception):
    """The model refuses some of the texts, and asking again cannot help; `reasons` holds at least one, by index."""

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__("; ".join(sorted(set(reasons.values()))))
        self.reasons = reasons


class ModelUnavailable(Exception):
    """The model cannot be reached, or answers nothing that can be used."""


class TextEmbedder(Protocol):
    """Turns texts into vectors."""

    def embed(
        self, generation_id: int, texts: Sequence[str], *, queries: bool = False
    ) -> npt.NDArray[np.float32]:
        """Return a vector for each text, as a passage or as a query: (texts, dimensions).

        Raises TextsRejected or ModelUnavailable.
        """

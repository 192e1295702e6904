"""Fallback for `score.pyx` in numpy, with identical sums to the last bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def add_scores(
    rows: npt.NDArray[np.uint16],
    occurrences: npt.NDArray[np.uint8],
    lengths: npt.NDArray[np.int32],
    weight: float,
    k1: float,
    b: float,
    mean_length: float,
    scores: npt.NDArray[np.float64],
) -> None:
    """Add the BM25 contribution of a word to the scores of its rows, in place; see `score.pyx`."""
    count, size = len(rows), len(scores)
    if len(occurrences) != count or len(lengths) != size:
        raise ValueError(
            f"{count} rows of {size} have {len(occurrences)} and {len(lengths)} numbers"
        )
    if count and (last := int(rows.max())) >= size:
        raise IndexError(f"row {last} of {size}")
    occurs = occurrences.astype(np.float64)
    norm = k1 * (1 - b + b * lengths[rows] / mean_length)
    scores[rows] += weight * occurs * (k1 + 1) / (occurs + norm)

"""Types of the arrays that search computes with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def known(values: Floats) -> Floats:
    """Return the values, with 0 for NaN."""
    return np.where(np.isnan(values), 0.0, values)

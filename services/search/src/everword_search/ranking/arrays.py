"""Types of the arrays that the ranking computes with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def known(values: Floats) -> Floats:
    """Return values with 0 for what is not known."""
    return np.where(np.isnan(values), 0.0, values)

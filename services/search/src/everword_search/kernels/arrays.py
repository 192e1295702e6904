"""Array types used in search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def known(values: Floats) -> Floats:
    """Return the values with NaN replaced by 0."""
    return np.where(np.isnan(values), 0.0, values)

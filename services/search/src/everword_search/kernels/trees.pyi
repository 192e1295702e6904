from typing import Final

import numpy as np
import numpy.typing as npt

MOST_LEAVES: Final[int]

def add_up(
    thresholds: npt.NDArray[np.float32],
    features: npt.NDArray[np.uint8],
    nan_goes_left: npt.NDArray[np.uint8],
    kept: npt.NDArray[np.uint32],
    nodes: npt.NDArray[np.int32],
    leaves: npt.NDArray[np.float32],
    ends: npt.NDArray[np.int32],
    rows: npt.NDArray[np.float32],
) -> npt.NDArray[np.float64]: ...

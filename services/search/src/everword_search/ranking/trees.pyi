from typing import Final

import numpy as np
import numpy.typing as npt

TOGETHER: Final[int]

def add_up(
    thresholds: npt.NDArray[np.float32],
    nodes: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    roots: npt.NDArray[np.int32],
    depths: npt.NDArray[np.int32],
    features: npt.NDArray[np.float32],
) -> npt.NDArray[np.float64]: ...

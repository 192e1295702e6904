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
) -> None: ...

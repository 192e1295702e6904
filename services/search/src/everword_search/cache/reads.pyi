import numpy as np
import numpy.typing as npt

BLOCK: int

def find_bounds(
    numbers: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    file: int,
    start: int,
    first: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
def read_ranges(
    file: int,
    start: int,
    rows: int,
    width: int,
    begins: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    found: npt.NDArray[np.uint8],
) -> None: ...

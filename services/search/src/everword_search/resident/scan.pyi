from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

def nearest_signs(
    columns: Sequence[Callable[[int, int], npt.NDArray[np.uint64]]],
    asked: npt.NDArray[np.uint64],
    table: npt.NDArray[np.int16],
    allowed: npt.NDArray[np.uint8],
    near: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
def read_ranges(
    file: int,
    start: int,
    rows: int,
    width: int,
    begins: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    found: npt.NDArray[np.uint8],
) -> None: ...
def cosines(
    vectors: npt.NDArray[np.uint16], asked: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]: ...

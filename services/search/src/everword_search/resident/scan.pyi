import numpy as np
import numpy.typing as npt

def nearest_signs(
    columns: list[npt.NDArray[np.uint64]],
    asked: npt.NDArray[np.uint64],
    allowed: npt.NDArray[np.uint8],
    most: int,
) -> npt.NDArray[np.int64]: ...
def products(
    vectors: npt.NDArray[np.int8],
    scales: npt.NDArray[np.float32],
    rows: npt.NDArray[np.int64],
    asked: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]: ...
def half_products(
    vectors: npt.NDArray[np.uint16],
    scales: npt.NDArray[np.float32],
    rows: npt.NDArray[np.int64],
    asked: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]: ...

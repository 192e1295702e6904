import numpy as np
import numpy.typing as npt

GROUP: int

def nearest_signs(
    signs: npt.NDArray[np.uint8],
    tables: npt.NDArray[np.uint8],
    allowed: npt.NDArray[np.uint8],
    near: int,
) -> npt.NDArray[np.int64]: ...
def cosines(
    vectors: npt.NDArray[np.uint16], asked: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]: ...

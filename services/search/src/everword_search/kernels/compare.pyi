from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_WORDS: Final[int]
DESCRIBED: Final[tuple[str, ...]]

def match_words(
    words: npt.NDArray[np.uint32],
    begins: Ints,
    counts: Ints,
    asked: npt.NDArray[np.uint32],
    weights: Floats,
    pairs: Ints,
    names: npt.NDArray[np.uint32],
    k1: float,
    b: float,
    mean_length: float,
    pair_distance: int,
) -> tuple[Floats, Floats, npt.NDArray[np.uint64], Floats, Floats]: ...
def describe_turns(
    starts: Ints,
    sessions: Ints,
    bm25: Floats,
    coverage: Floats,
    present: npt.NDArray[np.uint64],
    close: Floats,
    mentions: Floats,
    cosines: Floats,
    weights: Floats,
    unknown: int,
    rarest: int,
    lengths: npt.NDArray[np.uint16],
    asks: npt.NDArray[Any],
    alone_share: float,
    meaning_share: float,
) -> tuple[Floats, Ints]: ...

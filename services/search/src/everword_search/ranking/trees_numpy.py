"""`trees.pyx` in numpy, for where it could not be compiled: the same sums, to the last bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: The most leaves of a tree: a bit for each.
MOST_LEAVES = 32
_ALL_LEAVES = np.uint32(0xFFFFFFFF)


def add_up(
    thresholds: npt.NDArray[np.float32],
    features: npt.NDArray[np.uint8],
    nan_goes_left: npt.NDArray[np.uint8],
    kept: npt.NDArray[np.uint32],
    nodes: npt.NDArray[np.int32],
    leaves: npt.NDArray[np.float32],
    ends: npt.NDArray[np.int32],
    rows: npt.NDArray[np.float32],
) -> npt.NDArray[np.float64]:
    """Return what trees say of each column of `rows`, in all; see `trees.pyx`."""
    sums = np.zeros(rows.shape[1])
    node = leaf = 0
    # Tree by tree: what lies between is small, and sums are added up in the order of the trees.
    for last_node, last_leaf in zip(nodes.tolist(), ends.tolist(), strict=True):
        here = slice(node, last_node)
        values = rows[features[here]]
        goes_right = values > thresholds[here, None]
        goes_right |= np.isnan(values) & (nan_goes_left[here, None] == 0)
        left = np.where(goes_right, kept[here, None], _ALL_LEAVES)
        reached = np.bitwise_and.reduce(left, axis=0)
        # The bits below the first one that is set are as many as the leaves to its left.
        sums += leaves[leaf:last_leaf][np.bitwise_count(~reached & (reached - np.uint32(1)))]
        node, leaf = last_node, last_leaf
    return sums

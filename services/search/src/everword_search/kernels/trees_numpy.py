"""Fallback for `trees.pyx` in numpy, with identical sums to the last bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: Maximum number of leaves of a tree: one bit each.
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
    """Return the sum of all trees for each column of `rows`; see `trees.pyx`."""
    values = rows[features]
    goes_right = values > thresholds[:, None]
    goes_right |= np.isnan(values) & (nan_goes_left[:, None] == 0)
    left = np.where(goes_right, kept[:, None], _ALL_LEAVES)
    # A tree without nodes always reaches its only leaf.
    reached = np.full((len(nodes), rows.shape[1]), _ALL_LEAVES)
    counts = np.diff(nodes, prepend=0)
    with_nodes = counts > 0
    reached[with_nodes] = np.bitwise_and.reduceat(left, (nodes - counts)[with_nodes], axis=0)
    # The bits below the lowest set bit are as many as the leaves to its left.
    place = np.bitwise_count(~reached & (reached - np.uint32(1)))
    sums = np.zeros(rows.shape[1])
    # Add in the order of the trees, as the compiled loop does; `sum` does not guarantee an order.
    for said in leaves[np.append(0, ends[:-1])[:, None] + place]:
        sums += said
    return sums

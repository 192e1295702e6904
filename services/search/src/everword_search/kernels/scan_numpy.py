"""Fallback for `scan.pyx` in numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from everword_search.kernels.arrays import Ints

#: Rows per group; the signs of a group are contiguous.
GROUP = 64
#: All values of a byte, to look up by its high and its low four bits.
_BYTES = np.arange(256)


def nearest_signs(
    signs: npt.NDArray[np.uint8],
    tables: npt.NDArray[np.uint8],
    allowed: npt.NDArray[np.uint8],
    near: int,
) -> Ints:
    """Return the `near` allowed rows with the largest sums of signs, ascending; see `scan.pyx`."""
    rows, width = len(allowed), len(tables)
    if tables.shape[1:] != (2, 16):
        raise ValueError("two times four signs have two tables of 16 numbers")
    largest = tables.max(axis=2, initial=0)
    if largest.sum() >= (1 << 16) - 1 or largest.max(initial=0) > 127:
        raise ValueError("sums have 16 bits, and those of two tables eight")
    groups = -(-rows // GROUP)
    if groups * GROUP * width > len(signs):
        raise ValueError("every row has signs")
    if not rows or not width or near <= 0:
        return np.zeros(0, np.int64)
    # Value of a whole byte: one look-up for eight signs.
    by_byte = tables[:, 0, _BYTES >> 4] + tables[:, 1, _BYTES & 15]
    grouped = signs[: groups * GROUP * width].reshape(groups, width, GROUP)
    sums = np.zeros((groups, GROUP), np.uint16)
    for place, counts_for in enumerate(by_byte):
        sums += counts_for[grouped[:, place]]
    candidates = np.flatnonzero(allowed)
    return candidates[_largest(sums.reshape(-1)[candidates], near)]


def _largest(sums: npt.NDArray[np.uint16], near: int) -> Ints:
    """Return the positions of the `near` largest sums, ascending; among equal sums, the last ones."""
    if len(sums) <= near:
        return np.arange(len(sums))
    least = np.partition(sums, len(sums) - near)[len(sums) - near]
    more, equal = np.flatnonzero(sums > least), np.flatnonzero(sums == least)
    return np.sort(np.concatenate([more, equal[len(equal) - (near - len(more)) :]]))


def cosines(
    vectors: npt.NDArray[np.uint16], asked: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Return the cosines of `asked`, a vector of length 1, with each of `vectors`; see `scan.pyx`.

    They are computed in double precision and row by row, so that a vector's cosine does not depend on the other rows; a
    matrix product does not guarantee this.
    """
    if len(asked) != vectors.shape[1]:
        raise ValueError(f"{len(asked)} numbers are asked for; vectors have {vectors.shape[1]}")
    if vectors.dtype != np.uint16:
        raise ValueError(f"a mismatch: vectors are bits of 16, not {vectors.dtype}")
    numbers = vectors.view(np.float16).astype(np.float64)
    products = np.einsum("ij,j->i", numbers, asked.astype(np.float64))
    lengths = np.sqrt(np.einsum("ij,ij->i", numbers, numbers))
    found = np.divide(products, lengths, out=np.zeros(len(vectors)), where=lengths > 0)
    return np.asarray(found, np.float32)

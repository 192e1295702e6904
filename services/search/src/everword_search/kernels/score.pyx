# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""BM25 of a word, added to the scores of passages. Compiled, so that no intermediate arrays are created."""

from libc.stdint cimport int32_t, uint8_t, uint16_t


def add_scores(
    const uint16_t[::1] rows,
    const uint8_t[::1] occurrences,
    const int32_t[::1] lengths,
    double weight,
    double k1,
    double b,
    double mean_length,
    double[::1] scores,
):
    """Add the BM25 contribution of a word with the idf `weight` to the scores of its rows, in place.

    `lengths` and `scores` have an element per row, `rows` and `occurrences` one per row that contains the word. Raises
    ValueError for inconsistent sizes, and IndexError for rows out of range.
    """
    cdef Py_ssize_t place, count = rows.shape[0], size = scores.shape[0]
    cdef double occurs, norm
    cdef uint16_t row
    if occurrences.shape[0] != count or lengths.shape[0] != size:
        raise ValueError(f"{count} rows of {size} have {occurrences.shape[0]} and {lengths.shape[0]} numbers")
    for place in range(count):
        if rows[place] >= size:
            raise IndexError(f"row {rows[place]} of {size}")
    with nogil:
        for place in range(count):
            row = rows[place]
            occurs = occurrences[place]
            norm = k1 * (1 - b + b * lengths[row] / mean_length)
            scores[row] += weight * occurs * (k1 + 1) / (occurs + norm)

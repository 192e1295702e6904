# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Adds up what a word says of the passages that hold it: compiled, so that no array is made of what lies between."""

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
    """Add BM25 of a word, which weighs `weight`, to the scores of the rows that hold it.

    `lengths` and `scores` have an element for each row, `rows` and `occurrences` one for each that holds the word.
    Raises IndexError for rows that there are not.
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

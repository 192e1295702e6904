# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Adds up what regression trees say: of several memories at once, step by step, without a branch to guess wrong."""

import numpy as np

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
    /* One build runs everywhere, and takes what the processor has. */
    #define EVERWORD_CLONES(...) __attribute__((target_clones(__VA_ARGS__, "default")))
    #else
    #define EVERWORD_CLONES(...)
    #endif
    #define EVERWORD_TOGETHER 16

    EVERWORD_CLONES("avx2", "arch=skylake-avx512")
    static void add_trees(
        const float *thresholds, const int32_t *nodes, const float *values,
        const int32_t *roots, const int32_t *depths, int64_t trees,
        const float *features, int64_t columns, double *sums
    ) {
        for (int64_t tree = 0; tree < trees; tree++) {
            int32_t places[EVERWORD_TOGETHER];
            for (int one = 0; one < EVERWORD_TOGETHER; one++)
                places[one] = roots[tree];
            for (int32_t step = 0; step < depths[tree]; step++)
                for (int one = 0; one < EVERWORD_TOGETHER; one++) {
                    int32_t node = nodes[places[one]];
                    float value = features[(int64_t)(node >> 16 & 0xff) * columns + one];
                    int32_t left = (value <= thresholds[places[one]]) | ((value != value) & (node >> 24));
                    places[one] = (node & 0xffff) + 1 - left;
                }
            for (int one = 0; one < EVERWORD_TOGETHER; one++)
                sums[one] += values[places[one]];
        }
    }
    """
    enum:
        EVERWORD_TOGETHER
    void add_trees(
        const float *thresholds, const int32_t *nodes, const float *values,
        const int32_t *roots, const int32_t *depths, int64_t trees,
        const float *features, int64_t columns, double *sums
    ) nogil

#: Memories that are looked at together.
TOGETHER = EVERWORD_TOGETHER


def add_up(
    const float[::1] thresholds,
    const int32_t[::1] nodes,
    const float[::1] values,
    const int32_t[::1] roots,
    const int32_t[::1] depths,
    const float[:, ::1] features,
):
    """Return what trees say of each column of `features`, of which there is a multiple of `TOGETHER`, in all.

    Tree n begins at node `roots[n]` and is `depths[n]` steps deep. Of a node, bits 16 to 23 are a row of `features`:
    what is at most its threshold there goes on to the node that bits 0 to 15 name, as does NaN where bit 24 is set, and
    anything else to the one after that. A leaf leads to itself, and says its value. The caller sees to it that there
    are such nodes and rows.
    """
    cdef Py_ssize_t columns = features.shape[1], column
    if columns % EVERWORD_TOGETHER:
        raise ValueError(f"{columns} columns are no multiple of {EVERWORD_TOGETHER}")
    sums_ = np.zeros(columns)
    if not columns or not roots.shape[0]:
        return sums_
    cdef double[::1] sums = sums_
    for column in range(0, columns, EVERWORD_TOGETHER):
        add_trees(
            &thresholds[0],
            &nodes[0],
            &values[0],
            &roots[0],
            &depths[0],
            roots.shape[0],
            &features[0, column],
            columns,
            &sums[column],
        )
    return sums_

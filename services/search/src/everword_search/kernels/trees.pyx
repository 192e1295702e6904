# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Evaluation of regression trees for many memories: node by node, each for all memories at once.

The algorithm is from Lucchese et al., QuickScorer: a fast algorithm to rank documents with additive ensembles of
regression trees, SIGIR 2015. Each node that sends a memory to the right excludes the leaves of its left subtree; the
memory ends in the first remaining leaf.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    #include "processors.h"

    EVERWORD_CLONES
    static void rule_out(
        uint32_t *reached, const float *feature, int64_t columns, float threshold, uint32_t kept, int nan_goes_left
    ) {
        if (nan_goes_left)
            for (int64_t column = 0; column < columns; column++)
                reached[column] &= feature[column] > threshold ? kept : ~(uint32_t)0;
        else
            for (int64_t column = 0; column < columns; column++)
                reached[column] &= feature[column] <= threshold ? ~(uint32_t)0 : kept;
    }

    EVERWORD_CLONES
    static void add_leaves(double *sums, const uint32_t *reached, int64_t columns, const float *leaves) {
        for (int64_t column = 0; column < columns; column++)
            sums[column] += leaves[__builtin_ctz(reached[column])];
    }
    """
    void rule_out(
        uint32_t *reached, const float *feature, int64_t columns, float threshold, uint32_t kept, int nan_goes_left
    ) nogil
    void add_leaves(double *sums, const uint32_t *reached, int64_t columns, const float *leaves) nogil

#: Maximum number of leaves of a tree: one bit each.
MOST_LEAVES = 32


def add_up(
    const float[::1] thresholds,
    const uint8_t[::1] features,
    const uint8_t[::1] nan_goes_left,
    const uint32_t[::1] kept,
    const int32_t[::1] nodes,
    const float[::1] leaves,
    const int32_t[::1] ends,
    const float[:, ::1] rows,
):
    """Return the sum of all trees for each column (memory) of `rows`, which has a row per feature.

    Tree n has the nodes from `nodes[n - 1]` to before `nodes[n]`, and the leaves from `ends[n - 1]` to before
    `ends[n]`, from left to right. A node compares row `features[node]` with its threshold. A larger value goes right,
    and so does NaN unless `nan_goes_left`; it can then only end in the leaves whose bits are set in `kept`. Arguments
    are not checked: all features must exist, and every node must keep its tree's last leaf.
    """
    cdef Py_ssize_t columns = rows.shape[1], tree, node = 0, leaf = 0, column
    sums_ = np.zeros(columns)
    if not columns:
        return sums_
    reached_ = np.empty(columns, np.uint32)
    cdef double[::1] sums = sums_
    cdef uint32_t[::1] reached = reached_
    cdef uint32_t all_leaves
    for tree in range(nodes.shape[0]):
        all_leaves = 0xFFFFFFFF >> (32 - (ends[tree] - leaf))
        for column in range(columns):
            reached[column] = all_leaves
        while node < nodes[tree]:
            rule_out(
                &reached[0], &rows[features[node], 0], columns, thresholds[node], kept[node], nan_goes_left[node]
            )
            node += 1
        add_leaves(&sums[0], &reached[0], columns, &leaves[leaf])
        leaf = ends[tree]
    return sums_

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Goes through all vectors of a namespace, by their signs, and through those of some rows: compiled, without copies."""

import numpy as np

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include "processors.h"

    /* Counting bits of eight words at once is what no level of x86-64 has. */
    #define EVERWORD_DIFFER \
        for (int64_t row = 0; row < rows; row++) \
            differing[row] += (uint16_t)__builtin_popcountll(signs[row] ^ asked);

    EVERWORD_CLONES
    static void differ_by_word(const uint64_t *signs, uint64_t asked, uint16_t *differing, int64_t rows) {
        EVERWORD_DIFFER
    }

    #ifdef EVERWORD_X86
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq")))
    static void differ_by_eight(const uint64_t *signs, uint64_t asked, uint16_t *differing, int64_t rows) {
        EVERWORD_DIFFER
    }
    #endif

    static void add_differing(const uint64_t *signs, uint64_t asked, uint16_t *differing, int64_t rows) {
    #ifdef EVERWORD_X86
        if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512bw"))
            differ_by_eight(signs, asked, differing, rows);
        else
    #endif
            differ_by_word(signs, asked, differing, rows);
    }

    EVERWORD_CLONES
    static void leave_out(const uint8_t *allowed, uint16_t farther, uint16_t *differing, int64_t rows) {
        for (int64_t row = 0; row < rows; row++)
            differing[row] = allowed[row] ? differing[row] : farther;
    }

    /* Of values that are mostly the same: each fourth counts in a row of its own, or it would wait for the last one. */
    static void count(const uint16_t *values, int64_t rows, int64_t *counts, int64_t width) {
        int64_t row = 0;
        for (; row + 4 <= rows; row += 4)
            for (int64_t one = 0; one < 4; one++)
                counts[one * width + values[row + one]]++;
        for (; row < rows; row++)
            counts[values[row]]++;
    }

    /* Without a branch: which rows are found cannot be guessed. There is room for one more than are found. */
    static int64_t closer(const uint16_t *differing, uint16_t last, int64_t rows, int64_t *found) {
        int64_t place = 0;
        for (int64_t row = 0; row < rows; row++) {
            found[place] = row;
            place += differing[row] < last;
        }
        return place;
    }

    /* Rows lie far apart: what is multiplied soon is on its way meanwhile. */
    static void fetch(const int8_t *vector, int64_t dimensions) {
        for (int64_t place = 0; place < dimensions; place += 64)
            __builtin_prefetch(vector + place);
    }

    /* Of at most 2,048 numbers: 2,048 * 8,191 * 127 is less than 2^31. */
    EVERWORD_CLONES
    static int32_t multiply(const int8_t *vector, const int16_t *asked, int64_t dimensions) {
        int32_t sum = 0;
        for (int64_t place = 0; place < dimensions; place++)
            sum += (int32_t)vector[place] * (int32_t)asked[place];
        return sum;
    }

    /* Sums that are added up side by side: no order of additions is left for the compiler to keep. */
    #define EVERWORD_SUMS 32

    /* The bits of a number in half precision, moved to where a float has them, are one that is 2^112 times too small.
       That takes no instruction that only some processors have, and holds below the smallest normal number, too. */
    static inline float widen(uint16_t half) {
        union { uint32_t bits; float number; } moved = {((uint32_t)(int16_t)half << 13) & 0x8fffe000};
        return moved.number * 0x1p112f;
    }

    EVERWORD_CLONES
    static float multiply_halves(const uint16_t *vector, const float *asked, int64_t dimensions) {
        float sums[EVERWORD_SUMS] = {0};
        int64_t begin = 0;
        for (; begin + EVERWORD_SUMS <= dimensions; begin += EVERWORD_SUMS)
            for (int64_t place = 0; place < EVERWORD_SUMS; place++)
                sums[place] += widen(vector[begin + place]) * asked[begin + place];
        for (int64_t place = 0; begin + place < dimensions; place++)
            sums[place] += widen(vector[begin + place]) * asked[begin + place];
        for (int64_t half = EVERWORD_SUMS / 2; half; half /= 2)
            for (int64_t place = 0; place < half; place++)
                sums[place] += sums[place + half];
        return sums[0];
    }
    """
    void add_differing(const uint64_t *signs, uint64_t asked, uint16_t *differing, int64_t rows) nogil
    void leave_out(const uint8_t *allowed, uint16_t farther, uint16_t *differing, int64_t rows) nogil
    void count(const uint16_t *values, int64_t rows, int64_t *counts, int64_t width) nogil
    int64_t closer(const uint16_t *differing, uint16_t last, int64_t rows, int64_t *found) nogil
    void fetch(const int8_t *vector, int64_t dimensions) nogil
    int32_t multiply(const int8_t *vector, const int16_t *asked, int64_t dimensions) nogil
    float multiply_halves(const uint16_t *vector, const float *asked, int64_t dimensions) nogil

cdef enum:
    AT_ONCE = 2048
    # Rows whose signs are compared at once: how much they differ stays in the processor's cache.
    SCANNED = 8192
    # Vectors that are fetched before they are multiplied.
    AHEAD = 12
    # What the greatest number of what is asked for becomes: it loses less than a vector of bytes.
    LARGEST = 8191


def nearest_signs(list columns, const uint64_t[::1] asked, const uint8_t[::1] allowed, int64_t most):
    """Return the rows whose signs differ from `asked` in the fewest places, in no order: at least `most`, or all.

    `columns` is a list that has an array of 64 signs a row for each element of `asked`. Rows that are not `allowed` are
    left out; of those that are as far away as the last, only as many as fill up `most`.
    """
    cdef Py_ssize_t rows = allowed.shape[0], row
    differing_ = np.zeros(rows, np.uint16)
    cdef uint16_t[::1] differing = differing_
    cdef const uint64_t[::1] signs
    cdef const uint64_t *first[64]
    cdef Py_ssize_t number, words = asked.shape[0], begin, end
    if not rows:
        return np.zeros(0, np.int64)
    if words > 64 or len(columns) != words:
        raise ValueError(f"{words} times 64 signs, {len(columns)} columns: at most 64, and one each, are compared")
    for number in range(words):
        signs = columns[number]
        if signs.shape[0] < rows:
            raise ValueError("every row has signs")
        first[number] = &signs[0]
    # Beside every distance, one for what is left out.
    cdef Py_ssize_t width = 64 * words + 2
    counts_ = np.zeros((4, width), np.int64)
    cdef int64_t[:, ::1] counts = counts_
    begin = 0
    with nogil:
        while begin < rows:
            end = min(rows, begin + SCANNED)
            for number in range(words):
                add_differing(first[number] + begin, asked[number], &differing[begin], end - begin)
            leave_out(&allowed[begin], width - 1, &differing[begin], end - begin)
            count(&differing[begin], end - begin, &counts[0, 0], width)
            begin = end
    cdef int64_t[::1] within = counts_.sum(axis=0)
    cdef int64_t total = 0, equal = 0
    cdef Py_ssize_t last = 0
    most = max(most, 0)
    while last < width - 1 and total + within[last] < most:
        total += within[last]
        last += 1
    if last < width - 1:
        equal = most - total
    found_ = np.empty(total + equal + 1, np.int64)
    cdef int64_t[::1] found = found_
    cdef Py_ssize_t place = closer(&differing[0], last, rows, &found[0])
    row = 0
    while equal > 0:
        if differing[row] == last:
            found[place] = row
            place += 1
            equal -= 1
        row += 1
    return found_[:place]


def products(
    const int8_t[:, ::1] vectors, const float[::1] scales, const int64_t[::1] rows, const float[::1] asked
):
    """Return the inner products of `asked` with rows of `vectors`, whose numbers are multiples of their `scales`.

    Raises IndexError for a row that there is not.
    """
    cdef Py_ssize_t dimensions = vectors.shape[1], place, begin
    # While vectors are added, there may be more of them than scales.
    cdef Py_ssize_t known = min(vectors.shape[0], scales.shape[0])
    if asked.shape[0] != dimensions:
        raise ValueError(f"{asked.shape[0]} numbers are asked for; vectors have {dimensions}")
    products_ = np.zeros(rows.shape[0], np.float32)
    for place in range(rows.shape[0]):
        if rows[place] < 0 or rows[place] >= known:
            raise IndexError(f"row {rows[place]} of {known}")
    if not dimensions:
        return products_
    greatest = float(np.max(np.abs(asked)))
    step_ = greatest / LARGEST or 1.0
    rounded_ = np.round(np.asarray(asked, np.float64) / step_).astype(np.int16)
    cdef float[::1] found = products_
    cdef const int16_t[::1] rounded = rounded_
    cdef double step = step_, sum_
    cdef int64_t row
    for place in range(rows.shape[0]):
        if place + AHEAD < rows.shape[0]:
            fetch(&vectors[rows[place + AHEAD], 0], dimensions)
        row = rows[place]
        sum_ = 0.0
        begin = 0
        while begin < dimensions:
            sum_ += multiply(&vectors[row, begin], &rounded[begin], min(AT_ONCE, dimensions - begin))
            begin += AT_ONCE
        found[place] = <float>(sum_ * step * scales[row])
    return products_


def half_products(
    const uint16_t[:, ::1] vectors, const float[::1] scales, const int64_t[::1] rows, const float[::1] asked
):
    """Return the inner products of `asked` with rows of `vectors`, times their `scales`.

    `vectors` are the bits of numbers in half precision, none infinite or NaN. Raises IndexError for a row that there
    is not.
    """
    cdef Py_ssize_t dimensions = vectors.shape[1], place, count = rows.shape[0]
    # While vectors are added, there may be more of them than scales.
    cdef Py_ssize_t known = min(vectors.shape[0], scales.shape[0])
    if asked.shape[0] != dimensions:
        raise ValueError(f"{asked.shape[0]} numbers are asked for; vectors have {dimensions}")
    products_ = np.zeros(count, np.float32)
    for place in range(count):
        if rows[place] < 0 or rows[place] >= known:
            raise IndexError(f"row {rows[place]} of {known}")
    if not dimensions:
        return products_
    cdef float[::1] found = products_
    for place in range(count):
        found[place] = multiply_halves(&vectors[rows[place], 0], &asked[0], dimensions) * scales[rows[place]]
    return products_

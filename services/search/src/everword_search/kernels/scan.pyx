# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Scans of vectors: of all rows by their signs, and of some rows by cosine. Compiled, so that nothing is copied."""

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint16_t

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>
    #include "processors.h"

    /* Rows per group: for each eight numbers of a vector, the bytes of all its rows are contiguous. */
    #define EVERWORD_GROUP 64

    #if defined(__GNUC__) && !defined(__clang__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    typedef uint8_t everword_bytes __attribute__((vector_size(16)));
    typedef uint16_t everword_pairs __attribute__((vector_size(16)));
    #define EVERWORD_PARTS (EVERWORD_GROUP / 16)

    /* Compute for each row the sum of the tables' values of its signs. A table of 16 bytes fits a register, in which
       one instruction looks up four signs of 16 rows. Sums have 16 bits: those of even rows are accumulated together
       with those of odd rows, which are subtracted in the end. */
    EVERWORD_CLONES
    static void add_up(const uint8_t *signs, int64_t bytes, const uint8_t *tables, int64_t groups, uint16_t *sums) {
        for (int64_t group = 0; group < groups; group++, sums += EVERWORD_GROUP) {
            everword_pairs both[EVERWORD_PARTS] = {0}, odd[EVERWORD_PARTS] = {0};
            for (int64_t byte = 0; byte < bytes; byte++, signs += EVERWORD_GROUP) {
                everword_bytes first, last;
                memcpy(&first, tables + 32 * byte, 16);
                memcpy(&last, tables + 32 * byte + 16, 16);
                for (int part = 0; part < EVERWORD_PARTS; part++) {
                    everword_bytes here;
                    memcpy(&here, signs + 16 * part, 16);
                    everword_bytes found = __builtin_shuffle(first, here >> 4) + __builtin_shuffle(last, here & 15);
                    both[part] += (everword_pairs)found;
                    odd[part] += (everword_pairs)found >> 8;
                }
            }
            for (int part = 0; part < EVERWORD_PARTS; part++)
                for (int pair = 0; pair < 8; pair++) {
                    sums[16 * part + 2 * pair] = both[part][pair] - (odd[part][pair] << 8);
                    sums[16 * part + 2 * pair + 1] = odd[part][pair];
                }
        }
    }
    #else
    static void add_up(const uint8_t *signs, int64_t bytes, const uint8_t *tables, int64_t groups, uint16_t *sums) {
        memset(sums, 0, sizeof(*sums) * EVERWORD_GROUP * groups);
        for (int64_t group = 0; group < groups; group++, sums += EVERWORD_GROUP)
            for (int64_t byte = 0; byte < bytes; byte++, signs += EVERWORD_GROUP)
                for (int row = 0; row < EVERWORD_GROUP; row++)
                    sums[row] += tables[32 * byte + (signs[row] >> 4)] + tables[32 * byte + 16 + (signs[row] & 15)];
    }
    #endif

    /* Set the sums of rows that are not allowed to 0, and add one to the others. */
    EVERWORD_CLONES
    static void leave_out(const uint8_t *allowed, int64_t rows, uint16_t *sums) {
        for (int64_t row = 0; row < rows; row++)
            sums[row] = allowed[row] ? sums[row] + 1 : 0;
    }

    /* Append the rows whose sums are at least `least` to those found. Most are smaller, so 16 are tested together. If
       one of them is large enough, each is stored without a branch, since branch prediction would fail. */
    EVERWORD_CLONES
    static int64_t choose(const uint16_t *sums, uint16_t least, int64_t begin, int64_t rows, int64_t *found,
                          uint16_t *agreeing, int64_t place) {
        for (int64_t first = 0; first < rows; first += 16) {
            int64_t end = first + 16 < rows ? first + 16 : rows;
            if (end - first == 16) {
                uint16_t any = 0;
                for (int64_t row = first; row < first + 16; row++)
                    any |= sums[row] >= least;
                if (!any)
                    continue;
            }
            for (int64_t row = first; row < end; row++) {
                found[place] = begin + row;
                agreeing[place] = sums[row];
                place += sums[row] >= least;
            }
        }
        return place;
    }

    /* Keep `near` of the rows found: those with more than `least`, which are fewer than `near`, and the last ones of
       those with exactly `least`. */
    static int64_t keep_best(int64_t *found, uint16_t *agreeing, int64_t count, uint16_t least, int64_t near) {
        int64_t more = 0, equal = 0, place = 0;
        for (int64_t one = 0; one < count; one++) {
            more += agreeing[one] > least;
            equal += agreeing[one] == least;
        }
        int64_t left_out = equal - (near - more);
        for (int64_t one = 0; one < count; one++) {
            int is_kept = agreeing[one] > least || (agreeing[one] == least && left_out-- <= 0);
            found[place] = found[one];
            agreeing[place] = agreeing[one];
            place += is_kept;
        }
        return place;
    }

    /* Parallel partial sums, so that the compiler may vectorise without changing the order of additions. */
    #define EVERWORD_SUMS 32

    /* Moved to the positions of a float's bits, those of a half-precision number represent a value 2^112 times too
       small. This needs no special instructions, and is correct for subnormal numbers, too. */
    static inline float widen(uint16_t half) {
        union { uint32_t bits; float number; } moved = {((uint32_t)(int16_t)half << 13) & 0x8fffe000};
        return moved.number * 0x1p112f;
    }

    EVERWORD_CLONES
    static float cosine(const uint16_t *vector, const float *asked, int64_t dimensions) {
        float sums[EVERWORD_SUMS] = {0}, squares[EVERWORD_SUMS] = {0};
        int64_t begin = 0;
        for (; begin + EVERWORD_SUMS <= dimensions; begin += EVERWORD_SUMS)
            for (int64_t place = 0; place < EVERWORD_SUMS; place++) {
                float number = widen(vector[begin + place]);
                sums[place] += number * asked[begin + place];
                squares[place] += number * number;
            }
        for (int64_t place = 0; begin + place < dimensions; place++) {
            float number = widen(vector[begin + place]);
            sums[place] += number * asked[begin + place];
            squares[place] += number * number;
        }
        for (int64_t half = EVERWORD_SUMS / 2; half; half /= 2)
            for (int64_t place = 0; place < half; place++) {
                sums[place] += sums[place + half];
                squares[place] += squares[place + half];
            }
        return squares[0] > 0 ? sums[0] / sqrtf(squares[0]) : 0;
    }
    """
    enum: EVERWORD_GROUP
    void add_up(const uint8_t *signs, int64_t bytes, const uint8_t *tables, int64_t groups, uint16_t *sums) nogil
    void leave_out(const uint8_t *allowed, int64_t rows, uint16_t *sums) nogil
    int64_t choose(const uint16_t *sums, uint16_t least, int64_t begin, int64_t rows, int64_t *found,
                   uint16_t *agreeing, int64_t place) nogil
    int64_t keep_best(int64_t *found, uint16_t *agreeing, int64_t count, uint16_t least, int64_t near) nogil
    float cosine(const uint16_t *vector, const float *asked, int64_t dimensions) nogil

#: Rows per group; the signs of a group are contiguous.
GROUP = EVERWORD_GROUP

cdef enum:
    # Bytes of signs scanned per block; they fit the processor's cache.
    AT_ONCE = 192 * 1024


def nearest_signs(
    const uint8_t[::1] signs,
    const uint8_t[:, :, ::1] tables,
    const uint8_t[::1] allowed,
    int64_t near,
):
    """Return the `near` allowed rows with the largest sums of signs, ascending; among equal sums, the last rows.

    `signs` has a byte for each eight numbers of a vector: the first bytes of `GROUP` rows, then their second bytes and
    so on, followed by the next group. `tables` has two tables of 16 numbers per byte, which give the values of its high
    and its low four bits. Raises ValueError if sums or entries are too large, or if rows lack signs.
    """
    cdef int64_t rows = allowed.shape[0], bytes = tables.shape[0], width = EVERWORD_GROUP * bytes
    if tables.shape[1] != 2 or tables.shape[2] != 16:
        raise ValueError("two times four signs have two tables of 16 numbers")
    largest = np.asarray(tables).max(axis=2, initial=0)
    most = int(largest.sum())
    if most >= (1 << 16) - 1 or largest.max(initial=0) > 127:
        raise ValueError("sums have 16 bits, and those of two tables eight")
    if (rows + EVERWORD_GROUP - 1) // EVERWORD_GROUP * width > signs.shape[0]:
        raise ValueError("every row has signs")
    if not rows or not bytes or near <= 0:
        return np.zeros(0, np.int64)
    near = min(near, rows)
    cdef int64_t groups = max(1, AT_ONCE // width), begin = 0, block, place = 0, before, one
    cdef int64_t scanned = groups * EVERWORD_GROUP, room = 2 * near + 2 * scanned, within = 0
    cdef uint16_t least = 1
    cdef uint16_t[::1] sums = np.empty(scanned, np.uint16), agreeing = np.empty(room, np.uint16)
    # Sums are shifted by one, because 0 marks rows that are not allowed.
    cdef int64_t[::1] counts = np.zeros(most + 2, np.int64)
    found_ = np.empty(room, np.int64)
    cdef int64_t[::1] found = found_
    with nogil:
        while begin < rows:
            block = min(scanned, rows - begin)
            groups = (block + EVERWORD_GROUP - 1) // EVERWORD_GROUP
            add_up(&signs[begin * bytes], bytes, &tables[0, 0, 0], groups, &sums[0])
            if place + block > room:
                place = keep_best(&found[0], &agreeing[0], place, least, near)
            before = place
            leave_out(&allowed[begin], block, &sums[0])
            place = choose(&sums[0], least, begin, block, &found[0], &agreeing[0], place)
            for one in range(before, place):
                counts[agreeing[one]] += 1
            within += place - before
            # Raise `least` while enough rows exceed it.
            while within - counts[least] >= near:
                within -= counts[least]
                least += 1
            begin += block
        place = keep_best(&found[0], &agreeing[0], place, least, near)
    return found_[:place].copy()


def cosines(const uint16_t[:, ::1] vectors, const float[::1] asked):
    """Return the cosines of `asked`, a vector of length 1, with each of `vectors`; 0 for a zero vector.

    `vectors` has the bits of numbers in half precision, none of which is infinite or NaN.
    """
    cdef Py_ssize_t dimensions = vectors.shape[1], count = vectors.shape[0], place
    if asked.shape[0] != dimensions:
        raise ValueError(f"{asked.shape[0]} numbers are asked for; vectors have {dimensions}")
    cosines_ = np.zeros(count, np.float32)
    if not dimensions:
        return cosines_
    cdef float[::1] found = cosines_
    with nogil:
        for place in range(count):
            found[place] = cosine(&vectors[place, 0], &asked[0], dimensions)
    return cosines_

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Goes through all vectors of a namespace, by their signs, and through those of some rows: compiled, without copies."""

import numpy as np

from libc.errno cimport EIO, errno
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t, uintptr_t
from posix.unistd cimport pread

cdef extern from *:
    """
    #include <math.h>
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

    /* Of the rows that differ in no more places than `most`, the sums of what their signs stand for, byte by byte.
       Without a branch: which rows those are cannot be guessed. */
    static int64_t add_up(const uint16_t *differing, uint16_t most, int64_t rows, const uint64_t *const *signs,
                          int64_t words, const int16_t *table, int64_t *found, int32_t *sums) {
        int64_t place = 0;
        for (int64_t row = 0; row < rows; row++) {
            found[place] = row;
            place += differing[row] <= most;
        }
        for (int64_t one = 0; one < place; one++) {
            int32_t sum = 0;
            for (int64_t word = 0; word < words; word++) {
                const uint8_t *bytes = (const uint8_t *)(signs[word] + found[one]);
                for (int64_t byte = 0; byte < 8; byte++)
                    sum += table[(8 * word + byte) * 256 + bytes[byte]];
            }
            sums[one] = sum;
        }
        return place;
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
    void add_differing(const uint64_t *signs, uint64_t asked, uint16_t *differing, int64_t rows) nogil
    void leave_out(const uint8_t *allowed, uint16_t farther, uint16_t *differing, int64_t rows) nogil
    void count(const uint16_t *values, int64_t rows, int64_t *counts, int64_t width) nogil
    int64_t add_up(const uint16_t *differing, uint16_t most, int64_t rows, const uint64_t *const *signs,
                   int64_t words, const int16_t *table, int64_t *found, int32_t *sums) nogil
    float cosine(const uint16_t *vector, const float *asked, int64_t dimensions) nogil

cdef enum:
    # Rows whose signs are compared at once: they and how much they differ stay in the processor's cache.
    SCANNED = 16384
    MOST_WORDS = 1000


def nearest_signs(
    columns,
    const uint64_t[::1] asked,
    const int16_t[:, ::1] table,
    const uint8_t[::1] allowed,
    int64_t near,
):
    """Return rows whose signs differ from `asked` in few places, and the sum of what the signs of each stand for.

    The rows are at least the `near` that differ in the fewest places, and all that differ in no more, or all that are
    `allowed`; they ascend. `columns` has, for each element of `asked`, what returns an array of 64 signs for each row
    of a range that it is called with. `table` has a row for each byte of signs, with a number for each value of it.
    """
    cdef Py_ssize_t rows = allowed.shape[0], words = asked.shape[0], begin, number
    if len(columns) != words:
        raise ValueError(f"{words} times 64 signs are compared with {len(columns)} columns")
    if words > MOST_WORDS:
        raise ValueError(f"{words} times 64 signs are too many: distances have 16 bits")
    if table.shape[0] != 8 * words or table.shape[1] != 256:
        raise ValueError(f"{8 * words} bytes need as many times 256 numbers")
    if not rows or not words or near <= 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int32)
    # Beside every distance, one for what is left out.
    cdef Py_ssize_t width = 64 * words + 2, block, most, place
    cdef int64_t[:, ::1] counts = np.zeros((4, width), np.int64)
    cdef uint16_t[::1] differing = np.empty(SCANNED, np.uint16)
    cdef uintptr_t[::1] places = np.empty(words, np.uintp)
    cdef const uint64_t[::1] signs
    cdef int64_t[::1] found
    cdef int32_t[::1] sums
    parts = []
    for begin in range(0, rows, SCANNED):
        block = min(SCANNED, rows - begin)
        # What was read has to stay until it is added up.
        held = [column(begin, begin + block) for column in columns]
        differing[:] = 0
        for number in range(words):
            signs = held[number]
            if signs.shape[0] < block:
                raise ValueError("every row has signs")
            places[number] = <uintptr_t>&signs[0]
            with nogil:
                add_differing(&signs[0], asked[number], &differing[0], block)
        found_, sums_ = np.empty(block, np.int64), np.empty(block, np.int32)
        found, sums = found_, sums_
        with nogil:
            leave_out(&allowed[begin], width - 1, &differing[0], block)
            count(&differing[0], block, &counts[0, 0], width)
            # No more than this of all rows, if those to come are as far away or farther.
            most = last_of(counts, near)
            place = add_up(
                &differing[0],
                most,
                block,
                <const uint64_t *const *>&places[0],
                words,
                &table[0, 0],
                &found[0],
                &sums[0],
            )
        parts.append((begin + found_[:place], sums_[:place]))
    return tuple(np.concatenate(both) for both in zip(*parts, strict=True))


cdef Py_ssize_t last_of(const int64_t[:, ::1] counts, int64_t near) noexcept nogil:
    """Return the distance within which there are so many rows, or the farthest that there is."""
    cdef int64_t within = 0
    cdef Py_ssize_t distance
    for distance in range(counts.shape[1] - 2):
        within += counts[0, distance] + counts[1, distance] + counts[2, distance] + counts[3, distance]
        if within >= near:
            return distance
    return counts.shape[1] - 2


def read_ranges(
    int file,
    int64_t start,
    int64_t rows,
    int64_t width,
    const int64_t[::1] begins,
    const int64_t[::1] lengths,
    uint8_t[::1] found,
):
    """Read ranges of rows of a file into `found`, one after the other: of `rows` that are `width` bytes each.

    The first row is at `start`. Raises IndexError for rows that there are not, and OSError.
    """
    cdef Py_ssize_t place, count = begins.shape[0]
    cdef int64_t offset, wanted, room = found.shape[0], done = 0
    cdef ssize_t got = 0
    if lengths.shape[0] != count:
        raise ValueError(f"{count} ranges have {lengths.shape[0]} lengths")
    for place in range(count):
        if begins[place] < 0 or lengths[place] < 0 or begins[place] > rows - lengths[place]:
            raise IndexError(f"rows {begins[place]} to {begins[place] + lengths[place]} of {rows}")
        done += lengths[place] * width
    if done != room:
        raise ValueError(f"there is room for {room} bytes of {done}")
    done = 0
    place = 0
    with nogil:
        while place < count:
            offset = start + begins[place] * width
            wanted = lengths[place] * width
            # What follows each other is read at once.
            while place + 1 < count and begins[place + 1] == begins[place] + lengths[place]:
                place += 1
                wanted += lengths[place] * width
            place += 1
            while wanted:
                got = pread(file, &found[done], wanted, offset)
                if got <= 0:
                    break
                offset += got
                wanted -= got
                done += got
            if wanted:
                break
    if done < room:
        raise OSError(errno if got else EIO, "a file cannot be read")


def cosines(const uint16_t[:, ::1] vectors, const float[::1] asked):
    """Return the inner products of `asked`, whose length is 1, with `vectors` of length 1; 0 for one without a length.

    `vectors` are the bits of numbers in half precision, none infinite or NaN.
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

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Reads rows of a file, and numbers that ascend: compiled, since what takes thousands of calls takes no array."""

import numpy as np

from libc.stdint cimport int64_t, uint8_t

cdef extern from "reads.h":
    int64_t read_all(int file, void *room, int64_t wanted, int64_t offset) nogil
    int why_short(int64_t got) nogil

cdef enum:
    NUMBERS = 128

#: Of so many numbers that ascend, the first is at hand: a kibibyte is read to find one.
BLOCK = NUMBERS

#: Numbers that ascend, and the block of them that was looked at last.
cdef struct Ascending:
    const int64_t *firsts
    const int64_t *numbers
    int64_t size
    int file
    int64_t start
    int64_t block
    int64_t got
    int64_t read[NUMBERS]


def find_bounds(
    const int64_t[::1] numbers,
    const int64_t[::1] firsts,
    int file,
    int64_t start,
    const int64_t[::1] first,
    const int64_t[::1] last,
):
    """Return how many of `numbers`, which ascend, are less than each of `first`, and how many no more than each of `last`.

    Those from `start` of `file` are read instead, unless it is negative. `firsts` has each `BLOCK`th of them, and the
    last one. Raises OSError.
    """
    cdef Py_ssize_t size = numbers.shape[0], count = first.shape[0], place = 0
    begins_, ends_ = np.zeros(count, np.int64), np.zeros(count, np.int64)
    if last.shape[0] != count:
        raise ValueError(f"{count} first numbers have {last.shape[0]} last ones")
    if not size or not count:
        return begins_, ends_
    if firsts.shape[0] != (size + NUMBERS - 1) // NUMBERS + 1:
        raise ValueError(f"{size} numbers have other first ones")
    cdef Ascending among
    among.firsts, among.numbers, among.size = &firsts[0], &numbers[0], size
    among.file, among.start, among.block, among.got = file, start, -1, 0
    cdef int64_t[::1] begins = begins_, ends = ends_
    with nogil:
        while place < count:
            begins[place] = count_up_to(&among, first[place], False)
            ends[place] = count_up_to(&among, last[place], True)
            if begins[place] < 0 or ends[place] < 0:
                break
            place += 1
    if place < count:
        raise OSError(why_short(among.got), "a file cannot be read")
    return begins_, ends_


cdef int64_t count_up_to(Ascending *among, int64_t number, bint itself) noexcept nogil:
    """Return how many numbers are less than one, or no more than `itself`; less than 0 where they cannot be read."""
    cdef int64_t blocks = (among.size + NUMBERS - 1) // NUMBERS, block, begin, length
    cdef const int64_t *here
    if among.firsts[blocks] < number or (itself and among.firsts[blocks] == number):
        return among.size
    block = count_of(among.firsts, blocks, number, itself) - 1
    if block < 0:
        return 0
    begin = block * NUMBERS
    length = min(among.size - begin, NUMBERS)
    if among.file < 0:
        here = among.numbers + begin
    else:
        if among.block != block:
            among.block = -1
            among.got = read_all(among.file, among.read, 8 * length, among.start + 8 * begin)
            if among.got < 8 * length:
                return -1
            among.block = block
        here = among.read
    return begin + count_of(here, length, number, itself)


cdef int64_t count_of(const int64_t *numbers, int64_t size, int64_t number, bint itself) noexcept nogil:
    cdef int64_t begin = 0, end = size, middle
    while begin < end:
        middle = (begin + end) // 2
        if numbers[middle] < number or (itself and numbers[middle] == number):
            begin = middle + 1
        else:
            end = middle
    return begin


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
    cdef int64_t offset, wanted, room = found.shape[0], done = 0, got = 0
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
            got = read_all(file, &found[done], wanted, offset)
            if got < wanted:
                break
            done += got
    if done < room:
        raise OSError(why_short(got), "a file cannot be read")

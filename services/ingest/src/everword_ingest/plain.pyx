# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Reads a plain text, as most of what is said is, in one pass. What is less plain is left to `everword.text`.

Compiled: to look at each character a dozen times was a quarter of what an append computes.
"""

import string

from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.string cimport memcpy

from everword.text.analysis import MAX_WORD_CHARS
from everword.text.literals import JOINERS
from everword.text.passages import MAX_WORDS
from everword.text.ranking_record import HAS_DIGITS, MAX_TERMS, SELVES, TIME_CHARS, TIMES, Traits, message_flags

cdef extern from "Python.h":
    const unsigned char* PyUnicode_1BYTE_DATA(str text)

cdef enum:
    ROOM = 2000
    TERM_BYTES = 4
    # Kinds of characters, as bits.
    SMALL = 1
    CAPITAL = 2
    DIGIT = 4
    IN_WORD = SMALL | CAPITAL | DIGIT
    # Between two letters, it makes a literal of them.
    JOINER = 8
    # It makes two words count as one.
    TIE = 16
    # Part of each sign that a flag stands for.
    SIGN = 32
    # Part of a word for some expressions, and not for others.
    UNCLEAR = 64

cdef Py_ssize_t MOST_CHARS = min(TIME_CHARS, ROOM), MOST_WORD_CHARS = MAX_WORD_CHARS
cdef Py_ssize_t MOST_WORDS = MAX_WORDS, MOST_TERMS = MAX_TERMS
cdef Py_ssize_t LONGEST_SELF = max(map(len, SELVES))
cdef frozenset times = TIMES, selves = SELVES
cdef unsigned char KINDS[128]


cdef _mark(str characters, int kind):
    for character in characters:
        KINDS[<int>ord(character)] |= kind


_mark(string.ascii_lowercase, SMALL)
_mark(string.ascii_uppercase, CAPITAL)
_mark(string.digits, DIGIT)
_mark(JOINERS, JOINER)
_mark("'-", TIE)
_mark("?[:`", SIGN)
_mark("_", UNCLEAR)


cdef class Plain:
    """What was read of a plain text."""

    cdef readonly object traits
    cdef readonly str words
    cdef readonly bytes terms
    cdef readonly bint may_hold_literal


def read_plain(str text, hashes):
    """Read a text, or return None where it is not plain.

    `hashes` has for each word the 4 bytes that stand for it in records. What is returned are the text's traits, its words
    with a space between them, the bytes of those that a record keeps, and whether it may hold a literal: what functions
    of `everword.text` return. Not plain are texts with other characters than ASCII or with `_`, of more than 2,000
    characters or 120 words, and with a word of more than 200 characters.
    """
    cdef Py_ssize_t length = len(text)
    if length > MOST_CHARS or not text.isascii():
        return None
    cdef const unsigned char* characters = PyUnicode_1BYTE_DATA(text)
    cdef char joined[ROOM]
    cdef char folded[ROOM]
    # Each word has a character, at least.
    cdef char terms[TERM_BYTES * ROOM]
    cdef Py_ssize_t place = 0, begin, size, whole = 0, written = 0
    cdef Py_ssize_t counted = 0, kept = 0, time_words = 0, self_words = 0
    cdef int kind, before, between, within, seen = 0
    cdef bint literal = False, alone
    cdef str word
    cdef bytes term
    while True:
        begin, between = place, JOINER | TIE
        while place < length:
            kind = KINDS[characters[place]]
            if kind & IN_WORD:
                break
            seen |= kind
            between &= kind
            place += 1
        if seen & UNCLEAR:
            return None
        if place == length:
            break
        if counted == 0 or not between & TIE:
            counted += 1
            if counted > MOST_WORDS:
                return None
        alone = place - begin == 1 and written > 0
        if alone and between & JOINER:
            literal = True
        if alone and characters[begin] == b"'":
            joined[written] = b"'"
            written += 1
        else:
            whole = place
            if written > 0:
                joined[written] = b" "
                written += 1
        begin, before, within = place, 0, 0
        while place < length:
            kind = KINDS[characters[place]]
            if not kind & IN_WORD:
                break
            if kind == CAPITAL and before == SMALL:
                literal = True
            joined[written] = characters[place]
            written += 1
            folded[place - begin] = characters[place] | 32
            within |= kind
            before = kind
            place += 1
        if place - whole > MOST_WORD_CHARS:
            return None
        size = place - begin
        seen |= within
        word = PyUnicode_DecodeASCII(folded, size, NULL)
        if word in times or within & DIGIT and _is_time(folded, size):
            time_words += 1
        if size <= LONGEST_SELF and PyUnicode_DecodeASCII(<char*>characters + begin, size, NULL) in selves:
            self_words += 1
        if kept < MOST_TERMS:
            term = hashes[word]
            if len(term) != TERM_BYTES:
                raise ValueError(f"{word} has no {TERM_BYTES} bytes")
            memcpy(terms + TERM_BYTES * kept, <const char*>term, TERM_BYTES)
            kept += 1
    cdef Plain plain = Plain.__new__(Plain)
    flags = message_flags(text) if seen & SIGN else HAS_DIGITS if seen & DIGIT else 0
    plain.traits = Traits(flags, counted, time_words, self_words)
    plain.words = PyUnicode_DecodeASCII(joined, written, NULL)
    plain.terms = terms[: TERM_BYTES * kept]
    plain.may_hold_literal = literal or seen & DIGIT
    return plain


cdef inline bint _is_time(const char* word, Py_ssize_t size) noexcept:
    """Tell whether a word is a year, as far as that can be told, or an ordinal number."""
    cdef Py_ssize_t digits = 0
    while digits < size and KINDS[<unsigned char>word[digits]] == DIGIT:
        digits += 1
    return digits == 4 if digits == size else word[digits:size] in (b"st", b"nd", b"rd", b"th")

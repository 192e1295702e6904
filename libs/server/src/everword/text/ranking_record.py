"""Properties of a passage for ranking, packed into bytes when the passage is stored.

Ranking compares a question with hundreds of passages at once: with these records it needs neither text search nor the
text. A record depends on its passage and its message alone, never on other stored data.

Version 1, little endian: the header `u8 version, u8 flags, u16 words, u8 time words, u8 words of the speaker about
themselves, u16 further flags`, whose values are those of the whole message, capped at their maximum, except for
`OTHER_LANGUAGE`; then, for each of the first 480 words of the passage, and of the words that these are also found by,
the CRC-32 of its stem.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from zlib import crc32

import numpy as np
import numpy.typing as npt

from everword.text.analysis import folded_words, spoken_words
from everword.text.calendar_terms import MONTH_NAMES, WEEKDAY_NAMES
from everword.text.lexemes import further_words
from everword.text.passages import count_words
from everword.text.scanner import stretches
from everword.text.stemming import stems
from everword.text.text_language import is_english

VERSION = 1
#: Flags of a message.
ASKS = 1
ENDS_ASKING = 2
HAS_DIGITS = 4
SHOWS_OR_LINKS = 8
HAS_CODE = 16
QUOTES = 32
#: The passage is of a document; the second flag is set if it is a heading without text below the document's title.
IN_DOCUMENT = 64
ONLY_HEADING = 128
#: The passage is not English, so another model embeds it.
OTHER_LANGUAGE = 256

#: Words of a passage that are kept: passages of at most 120 words have fewer, but pairs of characters may be more.
MAX_TERMS = 480
#: Words of a text search configuration whose hashes are kept at hand.
_KNOWN_WORDS = 32_768
#: Number of characters in which time expressions are counted: later ones say little about the time of a long message.
TIME_CHARS = 2000
_ASKING = ("?", "？", "؟")
_SHOWING = ("[image", "![", "http://", "https://")
_DIGIT = re.compile(r"\d")
#: Quotation marks, and a short text in them, which may be the title of a book or a film.
_MARKS = '"“„«「『《'
_QUOTED = re.compile(
    r"""\"[^"\n]{2,60}\"|[“„][^“”„\n]{2,60}[“”]|«[^«»\n]{2,60}»|「[^「」\n]{1,60}」|『[^『』\n]{1,60}』|《[^《》\n]{1,60}》"""
)
# `may` is mostly a verb.
TIMES = frozenset(
    {
        *(
            "yesterday",
            "today",
            "tonight",
            "tomorrow",
            "last",
            "next",
            "ago",
            "since",
            "recently",
            "just",
        ),
        *("week", "weekend", "month", "year", "years"),
        *WEEKDAY_NAMES,
        # "may" is mostly a verb.
        *(name for name in MONTH_NAMES if name != "may"),
    }
)
SELVES = frozenset({"I", "me", "my", "Me", "My"})
_TIME = re.compile(rf"\b(?:{'|'.join(sorted(TIMES))}|\d{{4}}|\d+(?:st|nd|rd|th))\b")
_SELF = re.compile(rf"\b(?:{'|'.join(sorted(SELVES))})\b")
_HEADER = np.dtype(
    [
        ("version", "u1"),
        ("flags", "u1"),
        ("words", "<u2"),
        ("time_words", "u1"),
        ("self_words", "u1"),
        ("further_flags", "<u2"),
    ]
)
_HEADER_OF, _TERM = struct.Struct("<BBHBBH"), struct.Struct("<I")
_NOTHING = _HEADER_OF.pack(VERSION, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Traits:
    """A message's traits, independent of its topic."""

    flags: int
    words: int
    #: Expressions of time, such as `yesterday` or `2023`.
    time_words: int
    #: How often the speaker says `I`, `my` or `me`.
    self_words: int


@dataclass(frozen=True, eq=False)
class Records:
    """Records of passages as arrays, with one element a passage but for `terms`."""

    flags: npt.NDArray[np.uint16]
    words: npt.NDArray[np.uint16]
    time_words: npt.NDArray[np.uint8]
    self_words: npt.NDArray[np.uint8]
    #: Hashes of the stems of all passages, and of others.
    terms: npt.NDArray[np.uint32]
    #: The terms of passage n are `counts[n]` from `begins[n]`.
    begins: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    def terms_of(self, passages: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint32]:
        """Return the terms of the passages in a mask, with repetitions."""
        ranges = zip(self.begins[passages].tolist(), self.counts[passages].tolist(), strict=True)
        found = [self.terms[begin : begin + count] for begin, count in ranges]
        return np.concatenate(found) if found else self.terms[:0]


def message_traits(text: str) -> Traits:
    """Return the traits of a whole message."""
    flags = message_flags(text)
    return Traits(flags, count_words(text), *_count_traits(text, flags))


def message_flags(text: str) -> int:
    """Return the flags of a whole message."""
    flags = 0
    if "?" in text or "？" in text or "؟" in text:
        flags |= ASKS
        if text.rstrip().endswith(_ASKING):
            flags |= ENDS_ASKING
    if any(map(_DIGIT.search, stretches(text))):
        flags |= HAS_DIGITS
    # Lower-case only texts with one of these signs; most have none.
    if "[" in text or "://" in text:
        lowered = text.lower()
        if any(map(lowered.__contains__, _SHOWING)):
            flags |= SHOWS_OR_LINKS
    if "```" in text:
        flags |= HAS_CODE
    if any(map(text.__contains__, _MARKS)) and _QUOTED.search(text):
        flags |= QUOTES
    return flags


def _count_traits(text: str, flags: int) -> tuple[int, int]:
    """Return how many expressions of time, and words of the speaker about themselves, there are."""
    if flags & HAS_DIGITS or "_" in text or len(text) > TIME_CHARS or not text.isascii():
        times = len(_TIME.findall(text[:TIME_CHARS].lower()[:TIME_CHARS]))
        return times, sum(len(_SELF.findall(part)) for part in stretches(text))
    # The same, in a tenth of the time: the words are cut anyway.
    return _count_in(folded_words(text), TIMES), _count_in(spoken_words(text), SELVES)


def _count_in(words: Sequence[str], figures: frozenset[str]) -> int:
    """Return how many words are wanted ones; of most texts none is."""
    return 0 if figures.isdisjoint(words) else sum(map(figures.__contains__, words))


def stems_of(text: str, config: str) -> list[str]:
    """Return the words of `text` in order, stemmed as in the word index of a text search configuration.

    Stop words are included.
    """
    return list(map(stems(config).__getitem__, folded_words(text)))


def term_hash(stem: str) -> int:
    """Return the hash of a stem in a record."""
    return crc32(stem.encode())


def pack_record(passage: str, traits: Traits, config: str) -> bytes:
    """Return the record of a passage. `traits` are those of its message."""
    hashes = word_hashes(config)
    words = folded_words(passage)
    if not is_english(passage):
        traits = replace(traits, flags=traits.flags | OTHER_LANGUAGE)
    terms = map(hashes.__getitem__, [*words, *further_words(words)][:MAX_TERMS])
    return pack_header(traits) + b"".join(terms)


def pack_header(traits: Traits) -> bytes:
    """Return the header of a record. `traits` are those of the passage's message."""
    return _HEADER_OF.pack(
        VERSION,
        traits.flags & 0xFF,
        min(traits.words, 0xFFFF),
        min(traits.time_words, 0xFF),
        min(traits.self_words, 0xFF),
        traits.flags >> 8,
    )


class WordHashes(dict[str, bytes]):
    """The hashes of words, packed as in records.

    A few words make up most of all text: stemming and hashing each again was a tenth of the CPU time of an append.
    """

    def __init__(self, config: str) -> None:
        super().__init__()
        self._config = config

    def __missing__(self, word: str) -> bytes:
        if len(self) >= _KNOWN_WORDS:
            self.clear()
        self[word] = found = _TERM.pack(term_hash(stems(self._config)[word]))
        return found


@lru_cache(maxsize=8)
def word_hashes(config: str) -> WordHashes:
    """Return the hashes of words of a text search configuration."""
    return WordHashes(config)


def unpack_records(records: Sequence[bytes | None]) -> Records:
    """Return records as arrays. What is None, or of a version that is not known here, has no words and no traits."""
    known = [r if r and r[0] == VERSION else _NOTHING for r in records]
    headers = np.frombuffer(b"".join(r[: _HEADER.itemsize] for r in known), _HEADER)
    terms = np.frombuffer(b"".join(r[_HEADER.itemsize :] for r in known), "<u4")
    counts = np.array([(len(r) - _HEADER.itemsize) // 4 for r in known], np.int64)
    return Records(
        headers["flags"] | headers["further_flags"] << 8,
        headers["words"],
        headers["time_words"],
        headers["self_words"],
        terms.astype(np.uint32, copy=False),
        np.cumsum(counts) - counts,
        counts,
    )

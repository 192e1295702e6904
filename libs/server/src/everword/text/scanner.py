"""Looks at long texts fast: cut into what one expression may look at, and by the kinds of characters.

An expression holds the interpreter until it ends: over some MiB of text, for hundreds of milliseconds, in which nothing
else of the process goes on. Most texts are ASCII alone: a table of kinds takes a tenth of the time of
expressions, which were most of what an append computes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

#: Number of characters that the slowest expression scans in a few milliseconds.
CHARS = 32_768
_SPACE = re.compile(r"\s")
_ASCII = 128


def stretches(text: str) -> Iterator[str]:
    """Yield a text in parts that end with a space, if there is one within the length of another part."""
    start, end = 0, len(text)
    if end <= CHARS:
        yield text
        return
    while start < end:
        cut = start + CHARS
        space = _SPACE.search(text, cut, cut + CHARS)
        cut = space.end() if space else cut + CHARS
        yield text[start:cut]
        start = cut


def kinds_table(kinds: Mapping[str, str]) -> bytes:
    """Return the table in which each character of a key becomes its value, one character; all others become spaces."""
    table = bytearray(b" " * _ASCII)
    for characters, kind in kinds.items():
        for character in characters:
            table[ord(character)] = ord(kind)
    # `bytes.translate` wants one for each byte.
    return bytes(table).ljust(256)


def kinds_of(text: str, table: bytes) -> str:
    """Return the kinds of the characters of `text`, which is ASCII alone."""
    return text.encode("ascii").translate(table).decode("ascii")

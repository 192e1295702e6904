"""The kinds of characters in a text of ASCII: looked up in a table, a tenth of what expressions take.

Most of what is said is ASCII alone, and what an append computes was mostly regular expressions over it.
"""

from __future__ import annotations

from collections.abc import Mapping

_ASCII = 128


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

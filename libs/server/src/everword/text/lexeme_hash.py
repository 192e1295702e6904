"""The hash of a lexeme in the cache: that of PostgreSQL's `hashtextextended(lexeme, 0)`, by which the cache is read."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct

_MASK = 0xFFFFFFFF
_BLOCK = Struct("<III")


@lru_cache(maxsize=8192)
def hash_lexeme(lexeme: str) -> int:
    """Return the signed 64-bit hash of a lexeme (lookup3 by Bob Jenkins)."""
    data = lexeme.encode()
    a = b = c = (0x9E3779B9 + len(data) + 3923095) & _MASK
    whole = len(data) - len(data) % 12
    for place in range(0, whole, 12):
        x, y, z = _BLOCK.unpack_from(data, place)
        a, b, c = _mix((a + x) & _MASK, (b + y) & _MASK, (c + z) & _MASK)
    rest = data[whole:]
    # The lowest byte of the third number is reserved for the length.
    x, y, z = _BLOCK.unpack(rest[:8].ljust(8, b"\0") + b"\0" + rest[8:].ljust(3, b"\0"))
    b, c = _final((a + x) & _MASK, (b + y) & _MASK, (c + z) & _MASK)
    found = b << 32 | c
    return found - (1 << 64) if found >> 63 else found


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> (32 - bits)) & _MASK


def _mix(a: int, b: int, c: int) -> tuple[int, int, int]:
    for first, second in ((4, 6), (16, 19)):
        third = 8 if first == 4 else 4
        a = (a - c & _MASK) ^ _rotated(c, first)
        c = c + b & _MASK
        b = (b - a & _MASK) ^ _rotated(a, second)
        a = a + c & _MASK
        c = (c - b & _MASK) ^ _rotated(b, third)
        b = b + a & _MASK
    return a, b, c


def _final(a: int, b: int, c: int) -> tuple[int, int]:
    c = (c ^ b) - _rotated(b, 14) & _MASK
    a = (a ^ c) - _rotated(c, 11) & _MASK
    b = (b ^ a) - _rotated(a, 25) & _MASK
    c = (c ^ b) - _rotated(b, 16) & _MASK
    a = (a ^ c) - _rotated(c, 4) & _MASK
    b = (b ^ a) - _rotated(a, 14) & _MASK
    c = (c ^ b) - _rotated(b, 24) & _MASK
    return b, c

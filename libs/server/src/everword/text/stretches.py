"""Cuts a text into what one call of an expression may look at.

An expression holds the interpreter until it ends: over some MiB of text, for hundreds of milliseconds, in which nothing
else of the process goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What the slowest expression looks at in a few milliseconds.
CHARS = 32_768
_SPACE = re.compile(r"\s")


def stretches(text: str) -> Iterator[str]:
    """Yield a text in parts that end with a space, where there is one within as many characters as a part has."""
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

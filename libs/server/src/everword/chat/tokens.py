"""An estimate of a text's tokens without a tokenizer: rather too many than too few."""

from __future__ import annotations

import re

_PIECES = re.compile(
    r"(?P<word>[A-Z]?[a-z]+)|(?P<joint> (?=\S))|(?P<gap>\s+)|(?P<foreign>[^\x00-\x7f]+)|(?P<mark>.)",
    re.DOTALL,
)


def estimated_tokens(text: str) -> int:
    """Return an upper estimate for the tokenizers of common models.

    One token for each three letters of a word, for each digit, capital, mark and line break, for each four blanks in a
    row, and for each two bytes outside ASCII. English words have about four letters per token.
    """
    return sum(_tokens(match) for match in _PIECES.finditer(text))


def _tokens(match: re.Match[str]) -> int:
    piece = match[0]
    if match.lastgroup == "word":
        return -(-len(piece) // 3)
    if match.lastgroup == "joint":
        return 0
    if match.lastgroup == "gap":
        breaks = piece.count("\n")
        return max(1, breaks - (-(len(piece) - breaks) // 4))
    if match.lastgroup == "foreign":
        return -(-len(piece.encode("utf-8", "surrogatepass")) // 2)
    return 1

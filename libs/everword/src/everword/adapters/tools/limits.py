"""The size of a tool's result: at most 10,000 tokens, estimated without a tokenizer."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Estimated tokens of a result; the rest of 10,000 is for the estimate's error.
MAX_TOKENS = 8_500
#: Words, numbers, line ends, alphabets with cheap and expensive characters, and signs.
_UNIT = re.compile(
    r"(?P<word>[a-z]+|[A-Z][a-z]*)|(?P<number>\d+)|(?P<blank>[ \t]+)|(?P<lines>\s+)"
    r"|(?P<letters>[\u0370-\u0dff\u0e00-\u0e7f])|(?P<wide>[\u0080-\u036f\u2000-\u9fff\uac00-\ud7af])"
    r"|(?P<sign>[\x00-\x7f])|(?P<rare>.)",
    re.DOTALL,
)
#: Tokens of a character outside ASCII, at least those of o200k in ordinary texts of these alphabets.
_OF_CHARACTER = {"letters": 0.5, "wide": 1.0, "rare": 3.0}
#: A run of more letters is no word but an encoding such as base64, with a token for every second letter.
_LONGEST_WORD = 24


def estimate_tokens(text: str) -> float:
    """Return about how many tokens a text has, rather too many than too few."""
    return sum(map(_tokens, _UNIT.finditer(text)))


def fit_text(text: str, start: int = 0, limit: float = MAX_TOKENS) -> tuple[str, int]:
    """Return the part of a text from `start` that fits, and where the next part begins; 0 at the end."""
    used = 0.0
    for unit in _UNIT.finditer(text, start):
        used += _tokens(unit)
        if used > limit:
            # A unit that is longer than the limit is split.
            end = unit.start() if unit.start() > start else start + int(limit)
            return text[start:end], end if end < len(text) else 0
    return text[start:], 0


def count_fitting(entries: Sequence[str], limit: float = MAX_TOKENS) -> int:
    """Return how many of the first entries fit together; at least one if there are any."""
    used = 0.0
    for place, each in enumerate(entries):
        used += estimate_tokens(each) + 1
        if used > limit:
            return max(place, 1)
    return len(entries)


def _tokens(unit: re.Match[str]) -> float:
    name, length = unit.lastgroup or "", unit.end() - unit.start()
    if name == "word":
        return length / 2 if length > _LONGEST_WORD else 1 + max(0, length - 6) // 4
    if name == "number":
        return (length + 2) // 3
    if name == "blank":
        # One blank is a part of the next word.
        return 0 if length == 1 else 1
    if name == "lines":
        # Results indent each line of stored text.
        return 1 + unit.group().count("\n")
    return _OF_CHARACTER.get(name, 1.0)

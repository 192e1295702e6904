"""Brings texts into the form in which they are compared: one writing of each letter and digit, and words in parts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import regex

from everword.text.analysis import UNSPACED
from everword.text.case_folding import fold_case

#: A key to look up in the sources, such as ("number", "1000").
Key = tuple[str | int, ...]
#: Kind of keys for several parts in a row.
ROW = "row"
#: Kind of keys for a single part.
WORD = "word"

_REPLACED = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ＇", "'"),
        **dict.fromkeys("‐‑−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"),
        **{power: f" {digit}" for digit, power in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    }
)
# Normalisation of combining marks takes quadratic time in their number: after 30 marks an invisible joiner begins
# again, as in Unicode's stream-safe format.
_MARKS = regex.compile(r"(\p{M}{30})(?=\p{M})")
_MARKS_APART = "\\1\u034f"
_FOREIGN_DIGIT = regex.compile(r"[\p{Nd}--[0-9]]", regex.VERSION1)
# An underscore is a part, so that `search_files` is not the words "search files"; other marks only part.
_PART = regex.compile(
    rf"[{UNSPACED}]|[\p{{L}}\p{{M}}--[{UNSPACED}]]+|\p{{N}}+|_|#(?=\p{{N}})", regex.VERSION1
)


def normalise(text: str) -> str:
    """Return `text` with one writing of each letter, digit, space, apostrophe and hyphen; its case is kept."""
    # İ is the one letter whose small form is longer; places in a text must hold in both cases.
    apart = _MARKS.sub(_MARKS_APART, text.translate(_REPLACED))
    plain = unicodedata.normalize("NFKC", apart).replace("İ", "I")
    return str(_FOREIGN_DIGIT.sub(_ascii_digit, plain))


def _ascii_digit(match: regex.Match[str]) -> str:
    """Return a digit of any script as one of 0 to 9; as it is where only the newer tables of `regex` know it."""
    return str(unicodedata.decimal(match[0], match[0]))


def without_marks(text: str) -> str:
    """Return `text` with letters alone in place of those with accents."""
    if text.isascii():
        return text
    return "".join(
        character
        for character in unicodedata.normalize("NFD", text)
        if not unicodedata.combining(character)
    )


def parts_of(normalised: str) -> list[str]:
    """Return runs of letters and of digits in order, in lower case; of unspaced scripts each character."""
    return list(_PART.findall(fold_case(normalised)))


def row(parts: Iterable[str]) -> Key:
    return ROW, *parts

"""Folds texts for comparison: upper and lower case, also in Turkish, apostrophes, forms of letters, and spaces."""

from __future__ import annotations

import unicodedata

#: The apostrophes of keyboards and word processors.
APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ＇", "'"))
#: Turkish has two letters i, each with one case in ASCII: İ and i, I and ı. The language of a text is unknown, so all
#: four are equal.
_PLAIN = {**str.maketrans({"İ": "I", "ı": "i"}), **APOSTROPHES}
#: The lower case of İ in other programs: i and a combining dot.
_DOTTED, _DOT = "i\u0307", "\u0307"


def plain_letters(text: str) -> str:
    """Return a text with one letter for İ and I, one for ı and i, and one apostrophe; case is kept otherwise."""
    if text.isascii():
        return text
    plain = text.translate(_PLAIN)
    return plain.replace(_DOTTED, "i").replace("I" + _DOT, "I") if _DOT in plain else plain


def fold_case(text: str) -> str:
    """Return a text with letters folded that differ only in case."""
    return plain_letters(text).casefold()


def fold_forms(text: str) -> str:
    """Return a text with letters folded that differ only in case or in width and other forms of compatibility."""
    return fold_case(unicodedata.normalize("NFKC", text))


def fold_spaces(text: str) -> str:
    """Return a text in lower case with single spaces; letters are otherwise as they are."""
    return " ".join(text.casefold().split())

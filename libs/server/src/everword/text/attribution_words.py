"""The words and times by which `attribution` tells who speaks; the words are in attribution_words.txt."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

import regex


def _read_words() -> dict[str, frozenset[str]]:
    text = (files("everword.text") / "attribution_words.txt").read_text("utf-8")
    lists = {}
    for line in text.splitlines():
        name, _, words = line.partition(": ")
        if not line.startswith("#") and words:
            lists[name] = frozenset(word.replace("_", " ") for word in words.split())
    return lists


WORDS = _read_words()

TIME = r"\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?(?:[.,]\d{3})?(?:[ \u202f]?[ap]\.?m\.?)?"
DATE = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?|\d{1,2}\.? \p{L}{3,10}\.?(?:,? \d{4})?"
    r"|\p{L}{3,10}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?"
    r"|today|yesterday|heute|gestern|hier|aujourd.hui|hoy|ayer|oggi|ieri)"
)
_ZONE = r"(?:[ ]?(?:Z|UTC|[+-]\d\d:?\d\d))?"
STAMP = rf"(?:{DATE}(?:,? ?(?:at|um|à|a las|alle|T)? ?{TIME}{_ZONE})|{TIME}{_ZONE})"
#: A date alone is one only in brackets: "2024-03-12: we moved" is a diary.
BRACKETED = rf"[\[(]\s*(?:{STAMP}|{DATE}|{TIME}, ?{DATE})\s*[\])]"
STAMP_ALONE = regex.compile(rf"^\s*(?:{BRACKETED}|{STAMP})\s*$", regex.IGNORECASE)
WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}'’._@-]*")


def any_of(words: Iterable[str]) -> str:
    return "|".join(regex.escape(word) for word in sorted(words, key=len, reverse=True))


def label_words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'").rstrip(".'-") for word in WORD.findall(text)]

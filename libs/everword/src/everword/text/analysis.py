"""Turns text into the words that Postgres' text search then stems: the same for what is indexed and what is asked.

Postgres' own parser would make `auth.rs` a host name, `2023-05-07` a number and two negative ones, and a Chinese
sentence one word. Here only letters and digits stay, ideographs become overlapping pairs, and symbols such as emoji
become words of their own.
"""

from __future__ import annotations

import unicodedata
from datetime import datetime
from itertools import pairwise

import regex

# What is indexed: ideographs and kana in runs, symbols one by one, and words with their apostrophes.
_TOKEN = regex.compile(
    r"(?P<cjk>[\p{Han}\p{Hiragana}\p{Katakana}]+)"
    r"|(?P<symbol>[\p{Emoji_Presentation}\p{Extended_Pictographic}--[\p{L}\p{N}]])"
    r"|(?P<word>[\p{L}\p{N}\p{M}--[\p{Han}\p{Hiragana}\p{Katakana}]]"
    r"(?:['’]?[\p{L}\p{N}\p{M}--[\p{Han}\p{Hiragana}\p{Katakana}]])*)",
    regex.VERSION1,
)
#: Postgres keeps lexemes of at most 2,046 bytes; a longer run of letters is a blob and not a word.
_MAX_WORD_CHARS = 200


def words_of(text: str) -> list[str]:
    """Return the words of `text` in order, before stemming and stop words."""
    words: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        token = match[0]
        if match["cjk"]:
            words += bigrams(token)
        elif match["symbol"]:
            words.append(f"u{ord(token):x}")
        elif len(token) <= _MAX_WORD_CHARS:
            words.append(token.replace("’", "'"))
    return words


def bigrams(run: str) -> list[str]:
    """Return the overlapping pairs of a run of ideographs; a single one stands alone."""
    return [first + second for first, second in pairwise(run)] or [run]


def indexed_text(passage: str, author: str, occurred_at: datetime) -> str:
    """Return the words to index a passage under: who spoke and when belong to what can be asked for.

    `occurred_at` is in the time zone of the namespace, since people name days by their own calendar.
    """
    day = f"{occurred_at.day} {occurred_at:%B} {occurred_at.year}"
    return " ".join(words_of(f"{author} {day} {passage}"))

"""Cuts a long text into passages of about a hundred words; together they are the text again.

A hit in a long text should point at the part that matched, and BM25 and embeddings both blur over long texts.
"""

from __future__ import annotations

import re
import string
from itertools import pairwise

import regex

from everword.text.analysis import SOUTHEAST, UNSPACED
from everword.text.scanner import kinds_of, kinds_table, stretches

#: A text of up to this many words stays whole, and no passage has more.
MAX_WORDS = 120
#: A passage is closed at the first sentence end after this many words.
TARGET_WORDS = 80
#: No passage is longer, whatever its words: lexemes have positions only up to 16,383 and one tsvector only 1 MB.
MAX_CHARS = 4000

# A word, or one ideograph or kana: Chinese and Japanese write no spaces. Words of Thai have about five letters.
_WORD = regex.compile(
    rf"[{UNSPACED}]|[{SOUTHEAST}]{{1,5}}"
    rf"|[\p{{L}}\p{{N}}--[{UNSPACED}{SOUTHEAST}]](?:[\p{{L}}\p{{N}}\p{{M}}--[{UNSPACED}{SOUTHEAST}]]|['_-])*",
    regex.VERSION1,
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'_-]*")
_WORD_KINDS = kinds_table({string.ascii_letters + string.digits: "a", "'_-": "-"})
# A piece is what stays together: a sentence with its end, or a line.
_PIECE = regex.compile(r"[^\n.!?。！？]*(?:[.!?。！？]+(?:[\s\"')\]”’]+|$)|\n+|[.!?。！？]+|$)")
#: The same in text that was wrapped to a width: only an empty line ends a piece.
_WRAPPED_PIECE = regex.compile(
    r"(?:[^\n.!?。！？]++|\n(?![^\S\n]*\n))*+(?:[.!?。！？]+(?:[\s\"')\]”’]+|$)|\n[^\S\n]*\n\s*|[.!?。！？]+|$)"
)
#: Widths that prose is wrapped to.
_WIDTHS = range(40, 121)


def count_words(text: str) -> int:
    return sum(map(_count_words, stretches(text)))


def _count_words(text: str) -> int:
    if not text.isascii():
        return len(_WORD.findall(text))
    # Comparing the kinds of characters takes a fifth of the time; it is exact if no joiner begins a word.
    kinds = kinds_of(text, _WORD_KINDS)
    return len(_ASCII_WORD.findall(text)) if " -" in f" {kinds}" else len(kinds.split())


def split_passages(text: str, words: int | None = None) -> list[str]:
    """Return `text` in passages, whose concatenation is `text`. An empty text is one empty passage.

    `words` is its number of words, if known.
    """
    if len(text) <= MAX_CHARS and (count_words(text) if words is None else words) <= MAX_WORDS:
        return [text]
    passages: list[str] = []
    current, held = "", 0
    for piece in _pieces(text):
        piece_words = _count_words(piece)
        if current and (held + piece_words > MAX_WORDS or len(current) + len(piece) > MAX_CHARS):
            passages.append(current)
            current, held = "", 0
        current += piece
        held += piece_words
        if held >= TARGET_WORDS:
            passages.append(current)
            current, held = "", 0
    if current:
        passages.append(current)
    return passages


def _pieces(text: str) -> list[str]:
    """Return sentences and lines, each short enough for one passage."""
    pieces: list[str] = []
    for match in (_WRAPPED_PIECE if _is_wrapped(text) else _PIECE).finditer(text):
        piece = match[0]
        if len(piece) > MAX_CHARS or (len(piece) > MAX_WORDS and _count_words(piece) > MAX_WORDS):
            pieces += _cut(piece)
        elif piece:
            pieces.append(piece)  # a word has a character at least
    return pieces


def _is_wrapped(text: str) -> bool:
    """Return whether lines end because the next word exceeds the width, as in books and e-mails of plain text."""
    lines = text.split("\n")
    width = max(map(len, lines))
    if width not in _WIDTHS:
        return False
    inner = [(line, after) for line, after in pairwise(lines) if line.strip() and after.strip()]
    # Books are wrapped to slightly different widths.
    full = sum(len(line) + len(after.split(maxsplit=1)[0]) > width - 6 for line, after in inner)
    # The lines of a log may have one width, too, but do not begin within a sentence.
    within = sum(after.lstrip()[0].islower() for _, after in inner)
    return len(inner) >= 3 and full > 0.8 * len(inner) and within > 0.4 * len(inner)


def _cut(piece: str) -> list[str]:
    """Cut a sentence that is too long after its words; a word that is too long, anywhere."""
    parts: list[str] = []
    start = 0
    while start < len(piece):
        head = piece[start : start + MAX_CHARS]
        end = _end_of_word(head, MAX_WORDS)
        parts.append(head[:end])
        start += end
    return parts


def _end_of_word(text: str, number: int) -> int:
    """Return where the word with this number (from 1) ends in `text`; the length of `text` if it has fewer."""
    for count, match in enumerate(_WORD.finditer(text), start=1):
        if count == number:
            return int(match.end())
    return len(text)

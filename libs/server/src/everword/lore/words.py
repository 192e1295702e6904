"""Finds word boundaries, including in scripts without spaces. Pure.

Word edges are marked in a text and in a key; a text has the word if its marked form contains the marked key. An edge
depends only on the characters next to it, so the edges inside a key are the same as in the text.
"""

from __future__ import annotations

import regex

from everword.text.analysis import UNSPACED

#: Marks the edge of a word; no stored text contains this character.
AT_EDGE = "\0"
#: Scripts without spaces. Finding their words takes a dictionary, so any character may begin or end a word.
_UNSPACED = UNSPACED + r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
#: Characters that belong to the one before: marks, vowels of Thai and Lao after a consonant, and repetition signs.
_BOUND_BEFORE = r"\p{M}\u0E30\u0E32\u0E33\u0E45\u0E46\u0EB0\u0EB2\u0EB3\u0EC6\u30FC\u3005"
#: Characters that belong to the next one: vowels of Thai and Lao before a consonant, and the signs that stack two
#: consonants in Khmer and Burmese.
_BOUND_AFTER = r"\u0E40-\u0E44\u0EC0-\u0EC4\u17D2\u1039"
_EDGE = regex.compile(
    r"\b"
    rf"|(?<=[{_UNSPACED}--[{_BOUND_AFTER}]])(?=[\w--[{_BOUND_BEFORE}]])"
    rf"|(?<=[\w--[{_BOUND_AFTER}]])(?=[{_UNSPACED}--[{_BOUND_BEFORE}]])"
    # Korean appends particles to words of any script.
    r"|(?<=\p{Hangul})(?=[\w--\p{Hangul}])|(?<=[\w--\p{Hangul}])(?=\p{Hangul})",
    regex.VERSION1,
)
#: Word edges of a text without such scripts; this takes a fifth of the time.
_PLAIN_EDGE = regex.compile(r"\b")
_HAS_OTHER_EDGES = regex.compile(rf"[{_UNSPACED}\p{{Hangul}}]", regex.VERSION1)
_ENDS_IN_HANGUL = regex.compile(rf"\p{{Hangul}}{AT_EDGE}$")
#: Korean particles, appended to a noun without a space, also several in a row: 에서는, 들에게도.
_PARTICLES = (
    "들", "님", "씨", "이", "가", "은", "는", "을", "를", "의", "에", "에서", "서", "에게", "에게서", "께", "께서",
    "한테", "한테서", "로", "으로", "로서", "으로서", "로써", "으로써", "와", "과", "랑", "이랑", "하고", "도", "만",
    "까지", "부터", "마다", "처럼", "같이", "보다", "조차", "마저", "밖에", "뿐", "라도", "이라도", "대로", "커녕",
)  # fmt: skip
#: Copula endings after a noun: 나비예요.
_ENDINGS = (
    "나", "이나", "든지", "이든지", "야", "이야", "요", "이요", "이다", "입니다", "이에요", "예요", "였다", "이었다",
    "라고", "이라고", "라는", "이라는", "란", "이란",
)  # fmt: skip
_TAIL = regex.compile(
    rf"(?:{'|'.join(_PARTICLES)}){{0,3}}(?:{'|'.join(_ENDINGS)})?{AT_EDGE}",
)


def insert_edge_marks(text: str) -> str:
    """Return a text with `AT_EDGE` at each edge of a word."""
    if text.isascii() or not _HAS_OTHER_EDGES.search(text):
        return _PLAIN_EDGE.sub(AT_EDGE, text)
    return _EDGE.sub(AT_EDGE, text)


def key_of(marked: str) -> str:
    """Return the marked form of a key to search for, without the last edge if Korean particles may follow."""
    return marked[:-1] if _ENDS_IN_HANGUL.search(marked) else marked


def is_whole_word(marked: str, key: str) -> bool:
    """Return whether the key found in a marked text is a whole word: only particles may follow it in its word."""
    if key.endswith(AT_EDGE) or not _ENDS_IN_HANGUL.search(key + AT_EDGE):
        return True
    at = marked.find(key)
    while at >= 0:
        end = at + len(key)
        if _TAIL.match(marked, end):
            return True
        at = marked.find(key, at + 1)
    return False

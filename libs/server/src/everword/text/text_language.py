"""Decide whether a text is English, and guess the language of another text."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import islice

from everword.text.word_languages import word_language

_WORD = re.compile(r"[^\W\d_]+")
#: Words that are read: a text rarely changes its language, and a passage has about 120.
_WORDS = 120
#: A text is English unless more than this share of its words is not. Names count as English, so a German question that
#: consists mostly of names is near the limit: .8 % of the German questions of XQuAD and none of the Spanish ones are
#: taken for English, and .1 % of the English messages of REALTALK for another language.
_FOREIGN_SHARE = 0.35
#: Letters of the longest word whose language is guessed; longer words of Latin letters count as English.
_LONGEST = 40
#: Letters of a word whose language `word_language` guesses. Shorter words of ASCII letters are the same in many
#: languages, and count only if they are frequent in English.
_SHORTEST = 3
_SHORT_ENGLISH = frozenset(
    _WORD.findall(
        "i a am an as at be by do go he if in is it me my no of oh ok on or so to up us we"
    )
)
#: Scripts of one language each, as ranges of letters. Chinese has no kana.
_SCRIPTS = {"hindi": "[\u0900-\u097f]", "thai": "[\u0e00-\u0e7f]", "chinese": "[\u4e00-\u9fff]"}
_SCRIPT_LETTERS = {name: re.compile(letters) for name, letters in _SCRIPTS.items()}
_KANA = re.compile("[\u3040-\u30ff]")
#: The last letter of the scripts whose words `word_language` reads.
_LAST_LATIN = "\N{LATIN SMALL LETTER EZH WITH CARON}"


def is_english(text: str) -> bool:
    """Return whether a text is English. A text without words is."""
    words = foreign = 0
    for found in islice(_WORD.finditer(text), _WORDS):
        # Only the beginning of a long word is kept in the cache. Scripts without spaces have long ones.
        word = found[0][: _LONGEST + 1].lower()
        if len(word) >= _SHORTEST or word in _SHORT_ENGLISH or not word.isascii():
            words += 1
            foreign += not _is_english_word(word)
    return foreign <= _FOREIGN_SHARE * words


@lru_cache(maxsize=16_384)
def _is_english_word(word: str) -> bool:
    if len(word) < _SHORTEST:
        return word.isascii()
    return word[0] <= _LAST_LATIN and word_language(word) == "english"


def guess_language(text: str) -> str:
    """Return the language of most words of a text that is not English, in lower case; empty if it is unknown.

    In other scripts than the Latin one, it distinguishes only Chinese, Hindi and Thai.
    """
    languages = Counter(
        _language_of_word(found[0]) for found in islice(_WORD.finditer(text), _WORDS)
    )
    del languages["english"]
    [(language, _), *_] = languages.most_common(1) or [("", 0)]
    return "" if language == "chinese" and _KANA.search(text) else language


def _language_of_word(word: str) -> str:
    word = word[: _LONGEST + 1].lower()
    if word[0] <= _LAST_LATIN:
        return word_language(word)
    return next((name for name, letters in _SCRIPT_LETTERS.items() if letters.match(word)), "")

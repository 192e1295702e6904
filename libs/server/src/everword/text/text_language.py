"""Decide whether a text is English, and guess the language of another text."""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum, auto
from itertools import islice

from everword.text.word_languages import word_language

_WORD = re.compile(r"[^\W\d_]+")
#: Words that are read: a text rarely changes its language, and a passage has about 120.
_WORDS = 120
#: Characters in which the words of `is_english` are looked for.
_CHARS = 2_000
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
#: Words whose verdicts are kept.
_REMEMBERED = 16_384
#: The last letter of the scripts whose words `word_language` reads.
_LAST_LATIN = "\N{LATIN SMALL LETTER EZH WITH CARON}"


def is_english(text: str) -> bool:
    """Return whether a text is English. A text without words is."""
    verdicts = [*map(_VERDICTS.__getitem__, _WORD.findall(text, 0, _CHARS)[:_WORDS])]
    foreign = verdicts.count(_Verdict.FOREIGN)
    return foreign <= _FOREIGN_SHARE * (foreign + verdicts.count(_Verdict.ENGLISH))


class _Verdict(Enum):
    ENGLISH = auto()
    FOREIGN = auto()
    #: The same in many languages: it does not count.
    UNDECIDED = auto()


class _Verdicts(dict[str, _Verdict]):
    """Caches the verdict on each word, because every passage is read, and a few words make up most of all text."""

    def __missing__(self, word: str) -> _Verdict:
        # Only the beginning of a long word is decided and kept. Scripts without spaces have long ones.
        read = word[: _LONGEST + 1].lower()
        if read.isascii() and len(read) < _SHORTEST:
            verdict = _Verdict.ENGLISH if read in _SHORT_ENGLISH else _Verdict.UNDECIDED
        elif len(read) >= _SHORTEST and read[0] <= _LAST_LATIN and word_language(read) == "english":
            verdict = _Verdict.ENGLISH
        else:
            verdict = _Verdict.FOREIGN
        if len(self) >= _REMEMBERED:
            self.clear()
        if len(word) <= _LONGEST:
            self[word] = verdict
        return verdict


_VERDICTS = _Verdicts()


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

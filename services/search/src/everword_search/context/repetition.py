"""Detection of text that a context already contains. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from everword.text.attribution_words import WORDS

#: Length of a run of words that two texts rarely share by chance.
_GRAM = 5
#: A text repeats the context if this share of its runs is already there and at most this share of its words is new.
_REPEATED = 0.5
_NEW_WORDS = 0.25
_WORDS = re.compile(r"\w+")
#: Tags in a summary for the source and time of its lines, which are no content.
_TAGS = re.compile(r"\[(?:\d{4}-\d\d-\d\dT\d\d:\d\dZ|(?:chat|via):[^\]\n]{1,500})\]")

#: A salutation before the first comma or end of a sentence: at most this many words, the first of which greets.
_SALUTATION = re.compile(r"\s*(\w+)(?:\s+\w+){0,3}\s*[,.!:;–—-]+\s+(?=\S)")

_Words = tuple[str, ...]


class WordsInContext:
    """The words in a context, regardless of case, whitespace and punctuation."""

    def __init__(self, query: str) -> None:
        #: The question itself is no answer.
        self._whole = {_words(query)}
        self._grams = set[_Words]()
        self._known = set[str]()

    def repeats(self, text: str) -> bool:
        """Return whether a text repeats the context: entirely, or most of its five-word runs without new information.

        A new number or name is new information, even in otherwise equal text, so that two invoices are both shown. A
        text made of several messages (with source tags) is a repetition only if none of its words is new.
        """
        text, tags = _TAGS.subn(" ", text)
        words, grams = _words_and_grams(text)
        if words in self._whole:
            return True
        # The same message to another person, or at another time of day, says nothing new.
        text = _without_salutation(text)
        words, grams = _words_and_grams(text)
        if not len(grams & self._grams) >= _REPEATED * len(grams) > 0:
            return False
        new = [found for found in _WORDS.finditer(text) if found[0].casefold() not in self._known]
        most = 0.0 if tags else _NEW_WORDS
        return len(new) <= most * len(words) and not any(map(_is_distinctive_word, new))

    def add(self, text: str, speaker: str = "") -> None:
        """Add a text, and the name of its speaker, which is shown before it."""
        self._known.update(_words(speaker))
        words, grams = _words_and_grams(_TAGS.sub(" ", text))
        self._whole.add(words)
        self._known.update(words)
        self._grams |= grams


def contains_words(texts: Iterable[str], sentence: str) -> bool:
    """Return whether one of the texts contains the words of a sentence in a row."""
    words = " ".join(_words(sentence))
    return bool(words) and any(f" {words} " in f" {' '.join(_words(text))} " for text in texts)


def adds_nothing(text: str, other: str) -> bool:
    """Return whether nearly all words of a text are in another one, and no number or name is new."""
    words, known = _words(text), set(_words(other))
    new = [found for found in _WORDS.finditer(text) if found[0].casefold() not in known]
    return len(new) <= _NEW_WORDS * len(words) and not any(map(_is_distinctive_word, new))


def _without_salutation(text: str) -> str:
    """Return a text without a greeting and the name of the person greeted."""
    found = _SALUTATION.match(text)
    return text[found.end() :] if found and found[1].casefold() in WORDS["greetings"] else text


def _is_distinctive_word(word: re.Match[str]) -> bool:
    """Return whether a word may be a number or a name; a capital at the start of a sentence does not count."""
    if not word[0].isalpha():
        return True
    begins = word.string[: word.start()].rstrip().endswith((".", "!", "?", ":"))
    return word[0] != word[0].lower() and word.start() > 0 and not begins


@lru_cache(maxsize=512)
def _words_and_grams(text: str) -> tuple[_Words, frozenset[_Words]]:
    # Cached, because a text is compared before it is added, and again for the next context.
    words = _words(text)
    return words, frozenset(_grams(words))


def _words(text: str) -> _Words:
    return tuple(_WORDS.findall(text.casefold()))


def _grams(words: _Words) -> Iterable[_Words]:
    return zip(*(words[start:] for start in range(_GRAM)), strict=False)

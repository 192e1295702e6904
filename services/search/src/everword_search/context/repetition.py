"""What a context holds already: the same words are not put in twice. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

#: Words in a row that are the same by more than chance.
_GRAM = 5
#: What has this share of its runs of words in the context already, and so few new words, says little that is new.
_REPEATED = 0.5
_NEW_WORDS = 0.25
_WORDS = re.compile(r"\w+")
#: Where the lines of a summary come from, and when they were said: nothing that it says.
_TAGS = re.compile(r"\[(?:\d{4}-\d\d-\d\dT\d\d:\d\dZ|(?:chat|via):[^\]\n]{1,500})\]")

_Words = tuple[str, ...]


class SaidWords:
    """The words that were said in a context, whatever their case, blanks and punctuation."""

    def __init__(self, query: str) -> None:
        #: What is asked with answers nothing.
        self._whole = {_words(query)}
        self._grams = set[_Words]()
        self._known = set[str]()

    def repeats(self, text: str) -> bool:
        """Tell whether a text says what is there: all of it, or most of its runs of five words and nothing new.

        A number or a name that was not said yet is new, though all around it is alike: of two invoices, both are said.
        What is put together from several messages repeats them only where none of its words is new.
        """
        text, tags = _TAGS.subn(" ", text)
        words, grams = _words_and_grams(text)
        if words in self._whole:
            return True
        if not len(grams & self._grams) >= _REPEATED * len(grams) > 0:
            return False
        new = [found for found in _WORDS.finditer(text) if found[0].casefold() not in self._known]
        most = 0.0 if tags else _NEW_WORDS
        return len(new) <= most * len(words) and not any(map(_is_telling, new))

    def add(self, text: str, speaker: str = "") -> None:
        """Remember a text, and the name of its speaker, which stands before it."""
        self._known.update(_words(speaker))
        words, grams = _words_and_grams(_TAGS.sub(" ", text))
        self._whole.add(words)
        self._known.update(words)
        self._grams |= grams


def _is_telling(word: re.Match[str]) -> bool:
    """Tell whether a word may be a number or a name: a capital at the beginning of a sentence tells nothing."""
    if not word[0].isalpha():
        return True
    begins = word.string[: word.start()].rstrip().endswith((".", "!", "?", ":"))
    return word[0] != word[0].lower() and word.start() > 0 and not begins


@lru_cache(maxsize=512)
def _words_and_grams(text: str) -> tuple[_Words, frozenset[_Words]]:
    # Kept from the question whether it repeats something until it is put in, and to the next context.
    words = _words(text)
    return words, frozenset(_grams(words))


def _words(text: str) -> _Words:
    return tuple(_WORDS.findall(text.casefold()))


def _grams(words: _Words) -> Iterable[_Words]:
    return zip(*(words[start:] for start in range(_GRAM)), strict=False)

"""Variants of names: a person called Muhammad in a question may be stored as Muhhamed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import regex
from rapidfuzz.distance import OSA, JaroWinkler

#: Names of fewer letters are too near to each other.
_LEAST_LETTERS = 4
#: Likeness from which on two names may be one, if they sound alike. Muhammad and Mohammed have .85.
_ALIKE = 0.85
#: Length from which one wrong letter does not make another name.
_LONG = 6
_NAME = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}\p{L}{3,63}")
#: Letters that sound alike, in the order in which they are made one.
_SOUNDS = (
    ("ph", "f"),
    ("ck", "k"),
    ("ce", "s"),
    ("ci", "s"),
    ("cy", "s"),
    ("c", "k"),
    ("q", "k"),
    ("z", "s"),
    ("v", "f"),
)
_ALSO = {"c": "k", "k": "c", "s": "z", "z": "s", "f": "p", "p": "f", "v": "f"}
_SILENT = frozenset("aeiouyhwäöüáéíóúàèìòùâêîôûãõåæø")


def capitalised(text: str) -> set[str]:
    """Return the words of a text, in lower case, that have a capital and are long enough for a name."""
    return {match[0].lower() for match in _NAME.finditer(text)}


def first_letters(words: Iterable[str]) -> list[str]:
    """Return the letters that names may begin with which sound as some words do."""
    letters = {word[0] for word in words}
    return sorted(letters | {_ALSO[letter] for letter in letters & _ALSO.keys()})


def find_spellings(words: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Return of each word that is a known name in another spelling that name; all are in lower case."""
    spellings: dict[str, str] = {}
    for word in sorted(words):
        if word in known:
            continue
        alike = [
            (JaroWinkler.normalized_similarity(word, name), name)
            for name in known
            if is_same_name(word, name)
        ]
        if alike:
            spellings[word] = max(alike)[1]
    return spellings


def is_same_name(first: str, second: str) -> bool:
    """Return whether two lower-case words may be the same name."""
    if min(len(first), len(second)) < _LEAST_LETTERS:
        return False
    if JaroWinkler.normalized_similarity(first, second) < _ALIKE:
        return False
    if _sound(first) == _sound(second):
        return True
    return min(len(first), len(second)) >= _LONG and OSA.distance(first, second) == 1


def respell(text: str, spellings: Mapping[str, str]) -> str:
    """Return a text with names in the spelling by which they are known."""
    if not spellings:
        return text
    known = {word: name.capitalize() for word, name in spellings.items()}
    return _NAME.sub(lambda word: known.get(word[0].lower(), word[0]), text)


def _sound(name: str) -> str:
    """Return the consonants that are heard in a name, and how it begins."""
    for written, heard in _SOUNDS:
        name = name.replace(written, heard)
    told = [letter for place, letter in enumerate(name) if place == 0 or letter not in _SILENT]
    return "".join(
        letter for place, letter in enumerate(told) if place == 0 or told[place - 1] != letter
    )

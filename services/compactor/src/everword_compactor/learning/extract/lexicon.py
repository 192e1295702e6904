"""Words of closed kinds, such as names of months, from lexicon.txt."""

from __future__ import annotations

from importlib.resources import files

from everword_compactor.learning.extract.model import Token

_TEXT = files("everword_compactor.learning.extract").joinpath("lexicon.txt")


def _load() -> dict[str, tuple[str, ...]]:
    lines = _TEXT.read_text(encoding="utf-8").splitlines()
    named = (line.split(":", 1) for line in lines if line and not line.startswith("#"))
    return {kind: tuple(word.replace("_", " ") for word in words.split()) for kind, words in named}


_LINES = _load()
#: kind -> words, in small letters
WORDS = {kind: frozenset(words) for kind, words in _LINES.items()}
#: word -> number
COUNTS = {word: number for number, word in enumerate(_LINES["counts"])}
ORDINALS = {word: number for number, word in enumerate(_LINES["ordinals"], 1)}
#: A day, a month, a language: written with a capital, and the name of nobody and of no place.
NO_NAMES = (
    WORDS["months"]
    | WORDS["weekdays"]
    | WORDS["languages"]
    | WORDS["nationalities"]
    | WORDS["no_names"]
)
SOFTWARE = WORDS["databases"] | WORDS["editors"] | WORDS["tools"]
#: What ends a value, besides marks.
STOPS = WORDS["stops"]


def is_meant(token: Token) -> bool:
    """Tell whether a word names a product that has an everyday meaning as well, such as `Go`: by its capital."""
    return token.is_capital or token.low not in WORDS["ambiguous"]


def is_drug(word: str) -> bool:
    """Tell whether a word in small letters names a medicine."""
    ends = tuple(WORDS["drug_ends"])
    return word in WORDS["drugs"] or (len(word) > 6 and word.endswith(ends))

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
_KIN = ("partner", "child", "sibling", "parent", "friend", "relative", "flatmate")
WORDS["kin"] = frozenset(word for kind in _KIN for word in WORDS[kind])
WORDS["profession"] = (
    WORDS["jobs"] - WORDS["students"] - WORDS["manager"] - WORDS["pastime_jobs"] - {"editor"}
) | WORDS["carers"]
#: word -> number
COUNTS = {word: number for number, word in enumerate(_LINES["counts"])}
ORDINALS = {word: number for number, word in enumerate(_LINES["ordinals"], 1)}
#: Capitalised words that are neither people nor places: days, months, languages.
NO_NAMES = (
    WORDS["months"]
    | WORDS["weekdays"]
    | WORDS["languages"]
    | WORDS["nationalities"]
    | WORDS["no_names"]
)
SOFTWARE = WORDS["databases"] | WORDS["editors"] | WORDS["tools"] | WORDS["apps"]
#: Words that end a value, besides punctuation.
STOPS = WORDS["stops"]


def is_meant(token: Token) -> bool:
    """Return whether a word that is also an everyday word names a product, such as `Go`: by its capital."""
    return token.is_capital or token.low not in WORDS["ambiguous"]


def is_drug(word: str) -> bool:
    """Return whether a lower-case word names a medicine."""
    ends = tuple(WORDS["drug_ends"])
    return word in WORDS["drugs"] or (len(word) > 6 and word.endswith(ends))

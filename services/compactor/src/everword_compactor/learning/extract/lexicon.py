"""Words of closed kinds, such as names of months, from lexicon.txt."""

from __future__ import annotations

from importlib.resources import files

_TEXT = files("everword_compactor.learning.extract").joinpath("lexicon.txt")


def _load() -> dict[str, frozenset[str]]:
    lines = _TEXT.read_text(encoding="utf-8").splitlines()
    named = (line.split(":", 1) for line in lines if line and not line.startswith("#"))
    return {
        kind: frozenset(word.replace("_", " ") for word in words.split()) for kind, words in named
    }


#: kind -> words, in small letters
WORDS = _load()
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


def is_drug(word: str) -> bool:
    """Tell whether a word in small letters names a medicine."""
    ends = tuple(WORDS["drug_ends"])
    return word in WORDS["drugs"] or (len(word) > 6 and word.endswith(ends))

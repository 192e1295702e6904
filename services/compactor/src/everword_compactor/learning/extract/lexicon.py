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
    | frozenset("god christmas easter thanksgiving halloween ok okay i the a an this that it mr mrs ms dr".split())
)
SOFTWARE = WORDS["databases"] | WORDS["editors"] | WORDS["tools"]
#: What ends a value, besides marks.
STOPS = frozenset(
    """and or but because so which where who since now anymore any instead too also as these nowadays currently today
    from with for at in on to by if when while after before until although though then is was are were am be been has
    have had will would that this i we he she they it you again already right lately btw please thanks not than from
    yesterday last next ago our my your his her their whose near yet just still especially including together""".split()
)


def is_drug(word: str) -> bool:
    """Tell whether a word in small letters names a medicine."""
    ends = tuple(WORDS["drug_ends"])
    return word in WORDS["drugs"] or (len(word) > 6 and word.endswith(ends))

"""The type of thing that a question asks for, and the memories that name such a thing.

“What sports does Tim play?” asks for sports, and its answers say “volleyball” and “golf”, which are no words of the
question. The word lists are in `answer_types.json`; a noun that asks for the type may be in any of its languages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from everword.text.analysis import folded_words
from everword.text.ranking_record import QUOTES, Records, stems_of, term_hash

#: Words that ask for a thing named by a noun after them, words between, and words that end the noun, such as auxiliary
#: verbs; in English, German, Spanish, French and Italian.
_WORDS = {
    "asking": "what which whose list name welche welcher welches welchen welchem qué que cuál cuáles quel quels quelle"
    " quelles che quale quali",
    "between": "are were is was some all any the a an other different of kind kinds type types sort sorts die der das"
    " sind los las les le la son sont",
    "ending": "has have had did do does are is was were would will can could should that to of from in for with on at"
    " both hat haben ist sind war ha han es son est ont sont",
}
_ASKING, _BETWEEN, _ENDING = (frozenset(words.split()) for words in _WORDS.values())
#: Characters read of a question.
_READ = 300
#: An asking word is among the first words of a question, and the noun among the words after it.
_FIRST, _WINDOW = 3, 4
#: Type of things that have titles, which are recognised by quotation marks.
_TITLED = "title"
_LOWEST = 0xFFFF


@dataclass(frozen=True, eq=False)
class AnswerType:
    """A type of things, such as sports."""

    #: Hashes of the stems of words for such things; empty for things with titles.
    hashes: npt.NDArray[np.uint32]
    #: Mask of the lowest 16 bits of the hashes: a comparison of all words of all candidates would take a millisecond.
    lowest_bits: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, words: Iterable[str]) -> AnswerType:
        """Return the type of the things that the words, given as stems, name."""
        hashes = np.array(sorted(set(map(term_hash, words))), np.uint32)
        mask = np.zeros(_LOWEST + 1, bool)
        mask[hashes & _LOWEST] = True
        return cls(hashes, mask)

    def named_in(self, records: Records) -> npt.NDArray[np.bool_]:
        """Return a mask of the passages that name such a thing."""
        if not len(self.hashes):
            return np.asarray((records.flags & QUOTES) > 0)
        likely = np.flatnonzero(self.lowest_bits[records.terms & _LOWEST])
        named = likely[np.isin(records.terms[likely], self.hashes)]
        first = np.searchsorted(named, records.begins)
        return np.asarray(first < np.searchsorted(named, records.begins + records.counts))


def asked_type(question: str, config: str) -> AnswerType | None:
    """Return the type that a question asks for; None if it asks for no known type."""
    words = folded_words(question[:_READ])
    start = next((at for at, word in enumerate(words[:_FIRST]) if word in _ASKING), None)
    if start is None:
        return None
    names = _names_by_noun(config)
    stems = stems_of(" ".join(_noun_phrase(words[start + 1 :])), config)
    return next((_type(names[stem], config) for stem in stems if stem in names), None)


def _noun_phrase(words: list[str]) -> Iterator[str]:
    """Yield the words that may be the noun after an asking word: one before an ending word, else several."""
    while words and words[0] in _BETWEEN:
        words = words[1:]
    ends = [at for at, word in enumerate(words[: _WINDOW + 1]) if word in _ENDING]
    if ends:
        yield from words[: ends[0]][-1:]
    else:
        yield from words[:_WINDOW]


@cache
def _lists() -> Mapping[str, Mapping[str, str]]:
    text = files(__package__).joinpath("answer_types.json").read_text("utf-8")
    return dict(json.loads(text))


@lru_cache(maxsize=8)
def _names_by_noun(config: str) -> Mapping[str, str]:
    return {
        stem: name for name, each in _lists().items() for stem in stems_of(each["asked"], config)
    }


@lru_cache(maxsize=64)
def _type(name: str, config: str) -> AnswerType:
    stems = () if name == _TITLED else stems_of(_lists()[name]["words"], config)
    return AnswerType.of(stems)

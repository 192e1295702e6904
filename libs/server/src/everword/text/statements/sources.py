"""Statements of sources, indexed by their words to find clauses about the same subject."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import regex

from everword.text.analysis import folded_words
from everword.text.statements.clauses import Clause, clauses, iter_sentences, stems_of
from everword.text.values.dates import DATE, TIME
from everword.text.values.evidence import find_values
from everword.text.values.fold_text import normalise
from everword.text.values.numbers import NUMBER, QUANTITY

#: A word in more clauses does not distinguish them; this also bounds the cost of a comparison.
_MAX_SHARED = 200
_DIGITS = regex.compile("[0-9]+")
_FIRST_PERSON = regex.compile(
    r"\b(?:i|i'm|i'll|i'd|i've|me|my|mine|myself|ich|mir|mich|mein\w*|je|j'\w+|moi|mon|ma|mes|yo|mi|mis|io|mio|mia|eu|meu|minha"
    r"|ik|mijn)\b"
)
_WE = regex.compile(
    r"\b(?:we|we're|we'll|us|our|ours|let's|wir|uns\w*|nous|notre|nosotros|noi|nós|wij)\b"
)
#: "I'll write it, you test it" says nothing about the speaker in its second clause.
_OTHER_SUBJECT = regex.compile(r"(?:and |but |then )?(?:you|he|she|they)\b")


#: The unit or the kind of a number, and which one it is.
Measured = tuple[str, str]


@dataclass(frozen=True)
class StatedSource:
    """A source: a message, or a summary."""

    text: str
    #: Names of the speaker; empty without a known one.
    speakers: Sequence[str] = ()


@dataclass(frozen=True)
class SourceStatement:
    """A clause of a source."""

    clause: Clause
    #: Stems of its sentence, of the question before it, and of who speaks.
    around: frozenset[str]
    #: Stems of the clause and of who speaks.
    named_words: frozenset[str]
    #: Words in lower case by which its speaker is called.
    speakers: frozenset[str]
    #: Words in lower case that it says.
    spoken: frozenset[str]
    says_i: bool
    says_we: bool

    @cached_property
    def measured(self) -> frozenset[Measured]:
        """Its numbers, dates and times."""
        return measured(self.clause.text)


class Statements:
    """The clauses of sources, to be looked up by the words that they are about."""

    def __init__(self, sources: Iterable[StatedSource]) -> None:
        self.all: list[SourceStatement] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._by_digits: dict[str, list[int]] = defaultdict(list)
        self.names: set[str] = set()
        for source in sources:
            self._add(source)

    def nearest(self, words: frozenset[str]) -> list[tuple[int, SourceStatement]]:
        """Return the clauses that share words with a text, each with how many; the most first."""
        shared: Counter[int] = Counter()
        for word in words:
            places = self._by_word.get(word, ())
            if len(places) <= _MAX_SHARED:
                shared.update(places)
        return [(count, self.all[place]) for place, count in shared.most_common()]

    def around(self, value: Measured, written: str) -> set[str]:
        """Return the stems of the sentences with a value, and of their speakers; `written` is the value's text.

        Empty if too many sentences have it.
        """
        places = {
            place
            for digits in _DIGITS.findall(written)
            for place in self._by_digits.get(digits, ())[: _MAX_SHARED + 1]
        }
        if len(places) > _MAX_SHARED:
            return set()
        own = [self.all[place] for place in places]
        return {stem for each in own if value in each.measured for stem in each.around}

    def known(self, words: frozenset[str]) -> frozenset[str]:
        """Return those of the words that sources hold at all."""
        return frozenset(word for word in words if word in self._by_word)

    def _add(self, source: StatedSource) -> None:
        speakers = frozenset(word for name in source.speakers for word in folded_words(name))
        self.names |= speakers
        named = stems_of(" ".join(speakers))
        question: frozenset[str] = frozenset()
        for sentence in iter_sentences(normalise(source.text)):
            folded = sentence.lower()
            stems = stems_of(folded)
            says_i, says_we = bool(_FIRST_PERSON.search(folded)), bool(_WE.search(folded))
            for clause in clauses(sentence):
                place = len(self.all)
                spoken = frozenset(folded_words(clause.text))
                self.all.append(
                    SourceStatement(
                        clause,
                        stems | named | question,
                        clause.words | named,
                        speakers,
                        spoken,
                        says_i and not _OTHER_SUBJECT.match(clause.text.lower()),
                        says_we and not _OTHER_SUBJECT.match(clause.text.lower()),
                    )
                )
                for word in clause.words | named:
                    self._by_word[word].append(place)
                for digits in set(_DIGITS.findall(clause.text)):
                    self._by_digits[digits].append(place)
            question = stems if sentence.endswith("?") else frozenset()


def measured(text: str) -> frozenset[Measured]:
    """Return the numbers, dates and times of a clause, each with its unit, or else its kind."""
    if not _DIGITS.search(text):
        return frozenset()
    found: set[Measured] = set()
    for value in find_values(text, quotations=False):
        for reading in value.readings:
            for key in reading:
                if key[0] == QUANTITY:
                    found.add((str(key[2]), str(key[1])))
                elif key[0] == NUMBER and len(reading) == 1:
                    found.add((NUMBER, str(key[1])))
                elif key[0] in {DATE, TIME}:
                    found.add((str(key[0]), str(key[1:])))
    return frozenset(found)

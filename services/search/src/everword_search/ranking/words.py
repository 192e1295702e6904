"""Which words of a question passages hold, how often, and how close together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword.text.ranking_record import Records
from everword_search.arms.lexical import K1, B
from everword_search.ranking.arrays import Floats, Ints
from everword_search.ranking.terms import QueryTerms

#: How long passages are taken to be on average, in words: a constant, so that scores do not depend on the namespace.
MEAN_LENGTH = 60.0
#: Two words of a question that follow each other do so in a passage, too, if they are at most this far apart.
PAIR_DISTANCE = 3


@dataclass(frozen=True)
class Matches:
    """What passages hold of a question's words; one element or row a passage."""

    #: BM25 over the frequencies of words in the language, divided by what cannot be reached; from 0 to 1.
    bm25: Floats
    #: Share of the question's words that occur, by weight; from 0 to 1.
    coverage: Floats
    #: 1 where a word (column) occurs.
    present: Floats
    #: Neighbouring words of the question that are close together.
    pairs: Floats
    #: 1 where a name of the question is mentioned.
    names: Floats


def match_words(records: Records, terms: QueryTerms) -> Matches:
    """Compare passages with a question."""
    passages = len(records.offsets) - 1
    lengths = np.diff(records.offsets).astype(float)
    place, column = _occurrences(records.terms, terms.hashes)
    passage = np.searchsorted(records.offsets, place, side="right") - 1
    width = len(terms.hashes)
    frequency = np.bincount(passage * width + column, minlength=passages * width)
    frequency = frequency.reshape(passages, width).astype(float)
    norm = K1 * (1 - B + B * lengths[:, None] / MEAN_LENGTH)
    total = terms.total or 1.0
    saturated = frequency * (K1 + 1) / (frequency + norm)
    present = (frequency > 0).astype(float)
    named, _ = _occurrences(records.terms, terms.names)
    mentions = np.zeros(passages)
    mentions[np.searchsorted(records.offsets, named, side="right") - 1] = 1.0
    return Matches(
        saturated @ terms.weights / (total * (K1 + 1)),
        present @ terms.weights / total,
        present,
        _pairs(place, column, passage, terms.pairs, passages),
        mentions,
    )


def _occurrences(
    words: npt.NDArray[np.uint32], wanted: npt.NDArray[np.uint32]
) -> tuple[Ints, Ints]:
    """Return the places of wanted words, ascending, and which of `wanted` each is."""
    if not len(wanted) or not len(words):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    # Nearly every word is none of them, which its last bits tell.
    endings = np.zeros(1 << 16, bool)
    endings[wanted.astype(np.uint16)] = True
    maybe = np.flatnonzero(endings[words.astype(np.uint16)])
    order = np.argsort(wanted, kind="stable")
    sorted_wanted, like = wanted[order], words[maybe]
    slot = np.minimum(np.searchsorted(sorted_wanted, like), len(wanted) - 1)
    same = np.flatnonzero(sorted_wanted[slot] == like)
    return maybe[same], order[slot[same]]


def _pairs(
    place: Ints, column: Ints, passage: Ints, numbers: npt.NDArray[np.int64], passages: int
) -> Floats:
    """Count, for each passage, the pairs of neighbouring words of the question that are close together in it."""
    count = int(numbers.max(initial=-1)) + 1
    found = np.zeros((passages, count))
    # Occurrences ascend, so what is within a few words is within as many occurrences.
    for step in range(1, PAIR_DISTANCE + 1) if count else ():
        first, second = slice(None, -step), slice(step, None)
        pair = numbers[column[first], column[second]]
        close = (
            (pair >= 0)
            & (place[second] - place[first] <= PAIR_DISTANCE)
            & (passage[second] == passage[first])
        )
        found[passage[first][close], pair[close]] = 1.0
    return np.asarray(found.sum(axis=1))

"""What the models are given of each candidate: numbers that depend on the query, the memory and its two neighbours.

Nothing here depends on the namespace's statistics or on which other candidates there are. Every feature is an array
with one element a memory; those named `_p1`, `_n1`, `_p2`, `_n2` are of the turn before, after, and the ones beyond,
and 0 where there is none within the session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from everword.text.author_names import name_words
from everword.text.ranking_record import ASKS
from everword_search.kernels.arrays import Floats, Ints
from everword_search.kernels.compiled import DESCRIBED, describe_turns, match_words
from everword_search.ranking.bm25 import K1, B
from everword_search.ranking.features.pool import Pool
from everword_search.ranking.features.terms import QueryTerms, query_terms
from everword_search.ranking.times.dates import NamedDates, compare_dates, named_dates
from everword_search.ranking.times.periods import TimeRange

_WHEN = re.compile(r"(when|what (date|day|month|year|time)|how long ago)\b")


_WHO = re.compile(r"who\b|whose\b|whom\b")


def question_traits(text: str) -> dict[str, float]:
    """Return the traits of a question, 1 or 0, and its length in words."""
    lower = text.lower().strip()
    return {
        "q_when": float(bool(_WHEN.match(lower))),
        "q_who": float(bool(_WHO.match(lower))),
        "q_len": float(len(lower.split())),
    }


#: By role, as stored, whether it answers people: assistant, system and tool do.
_ANSWERS = np.array([role in (1, 3, 4) for role in range(2**8)], float)
#: How long passages are taken to be on average, in words: a constant, so that scores do not depend on the namespace.
MEAN_LENGTH = 60.0
#: Two words of a question that follow each other do so in a passage, too, if they are at most this far apart.
PAIR_DISTANCE = 3
#: What of its own values counts as that of neighbours for a memory that has none, such as a summary: about what turns
#: have in common with those next to them.
ALONE_SHARE = 0.8
#: What a deviation of a cosine counts against BM25 where a memory's best passage is chosen.
_MEANING_SHARE = 0.02
#: Words of a question that count as its rarest.
_RAREST = 2


@dataclass(frozen=True)
class RankingQuery:
    """A query, as the features see it."""

    text: str
    terms: QueryTerms
    #: Its words that name authors, in lower case.
    names: frozenset[str]
    dates: NamedDates
    #: Text search configuration of the namespace.
    config: str
    #: Whether beginnings of words are asked for, which hashes of whole words cannot tell.
    has_prefix: bool
    #: IANA name: days are named by the namespace's own calendar.
    time_zone: str
    #: Stretches of time that it names.
    periods: tuple[TimeRange, ...] = ()

    @classmethod
    def ask(
        cls,
        text: str,
        names: frozenset[str],
        ignored: frozenset[str],
        config: str,
        time_zone: str,
        has_prefix: bool = False,
        periods: tuple[TimeRange, ...] = (),
    ) -> RankingQuery:
        """Return the question that `text` asks; see `query_terms`."""
        terms = query_terms(text, names, ignored, config)
        return cls(text, terms, names, named_dates(text), config, has_prefix, time_zone, periods)


class Features(Mapping[str, Floats]):
    """Features by name, each an array with one element a memory."""

    def __init__(self, names: Sequence[str], values: Floats) -> None:
        """`values` has a row for each of `names`, and a column for each memory."""
        self._rows = {name: row for row, name in enumerate(names)}
        self._values = values

    def __getitem__(self, name: str) -> Floats:
        return np.asarray(self._values[self._rows[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, memories: Ints) -> Features:
        """Return the features of some memories."""
        return Features(list(self._rows), self._values[:, memories])


@dataclass(frozen=True)
class Described:
    """What is known of the memories of a pool."""

    features: Features
    #: Which of the pool's passages stands for each memory: the best by its words, and then by its meaning.
    best: Ints
    #: Share of the question's words, by weight, that nothing in the pool holds.
    absent: float


def describe(pool: Pool, question: RankingQuery) -> Described:
    """Compute what the models are given of a pool's memories."""
    records, terms = pool.passages.records, question.terms
    bm25, coverage, present, close, mentions = match_words(
        records.terms,
        records.begins,
        records.counts,
        terms.hashes,
        terms.weights,
        terms.pairs,
        terms.names,
        K1,
        B,
        MEAN_LENGTH,
        PAIR_DISTANCE,
    )
    turns, best = describe_turns(
        pool.starts,
        pool.sessions,
        bm25,
        coverage,
        present,
        close,
        mentions,
        pool.cosines,
        terms.weights,
        _bits(np.flatnonzero(terms.unknown)),
        _bits(np.argsort(-terms.weights, kind="stable")[:_RAREST]),
        records.words,
        records.flags & ASKS,
        ALONE_SHARE,
        _MEANING_SHARE,
    )
    others = {
        **_people(pool, question, turns[DESCRIBED.index("m_mention")]),
        **_traits(pool),
        **compare_dates(pool.heads(pool.passages.moments), question.dates, question.time_zone),
        **_asked(question),
        "m_absent": pool.absent,
    }
    held = int(np.bitwise_or.reduce(present)) if len(present) else 0
    return Described(_stacked(turns, others, pool.size), best, terms.share_absent(held))


def _stacked(turns: Floats, others: Mapping[str, Floats | float], size: int) -> Features:
    """Return what is known of turns, and what else is, a row each."""
    values = np.empty((len(DESCRIBED) + len(others), size))
    values[: len(DESCRIBED)] = turns
    for row, value in enumerate(others.values(), start=len(DESCRIBED)):
        values[row] = value
    return Features([*DESCRIBED, *others], values)


def _bits(places: Ints) -> int:
    return sum(1 << place for place in places.tolist())


def _people(pool: Pool, question: RankingQuery, mentioned: Floats) -> dict[str, Floats | float]:
    authors, which = np.unique(pool.heads(pool.passages.authors), return_inverse=True)
    names = [pool.passages.author_names[author] for author in authors.tolist()]
    spoken = np.array([bool(name) for name in names])[which]
    named = np.array([not question.names.isdisjoint(_words_of(name)) for name in names])[which]
    return {
        "m_named": np.where(spoken, named, mentioned),
        # What nobody said, such as a note, is about whom it mentions.
        "m_other": spoken & ~named if question.names else 0.0,
    }


@lru_cache(maxsize=4096)
def _words_of(author: str) -> frozenset[str]:
    return frozenset(name_words(author))


def _traits(pool: Pool) -> dict[str, Floats]:
    records = pool.passages.records
    words = records.words[pool.starts]
    return {
        "d_role": 1.0 - _ANSWERS[pool.heads(pool.passages.roles)],
        "d_time": records.time_words[pool.starts].astype(float),
        "d_self": records.self_words[pool.starts] / np.maximum(8.0, words),
    }


def _asked(question: RankingQuery) -> dict[str, float]:
    terms = question.terms
    return {
        **question_traits(question.text),
        "q_idf": terms.total,
        "q_terms": float(len(terms.hashes)),
        "q_names": float(len(question.names)),
        "q_unk": float(terms.unknown.sum()),
    }

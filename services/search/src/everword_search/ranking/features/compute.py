"""Compute the features of each candidate from the query, the memory and its neighbouring turns.

No feature depends on the namespace's statistics or on the other candidates. Every feature is an array with one element
per memory. The suffixes `_p1`, `_n1`, `_p2`, `_n2` denote the turn before, the turn after, and the second ones before
and after; the value is 0 if the session has no such turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

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
    """Return features of a question: 1 or 0 for its type, and its length in words."""
    lower = text.lower().strip()
    return {
        "q_when": float(bool(_WHEN.match(lower))),
        "q_who": float(bool(_WHO.match(lower))),
        "q_len": float(len(lower.split())),
    }


#: 1 for the stored roles that answer people: assistant (3), system (1) and tool (4).
_ANSWERS = np.array([role in (1, 3, 4) for role in range(2**8)], float)
#: Average length of passages in words for BM25; a constant, so that scores do not depend on the namespace.
MEAN_LENGTH = 60.0
#: Maximum distance in a passage of two words that are adjacent in the question.
PAIR_DISTANCE = 3
#: Share of its own values that a memory without neighbours, such as a summary, gets as its neighbours' values; about
#: what adjacent turns have in common.
ALONE_SHARE = 0.8
#: Weight of a cosine's deviation relative to BM25 when choosing a memory's best passage.
_MEANING_SHARE = 0.02
#: Share of BM25 for words without the accents of the question, so that the exact spelling comes first.
_PLAIN_SHARE = 0.9
#: Number of the question's words that count as its rarest.
_RAREST = 2


@dataclass(frozen=True)
class RankingQuery:
    """A query as the features use it."""

    text: str
    terms: QueryTerms
    #: Words of the query that name authors, in lower case.
    names: frozenset[str]
    dates: NamedDates
    #: Text search configuration of the namespace.
    config: str
    #: True if the query has word prefixes, which hashes of whole words cannot match.
    has_prefix: bool
    #: IANA name; dates are compared in the namespace's own calendar.
    time_zone: str
    #: Periods of time that the query names.
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
        """Return the ranking query for `text`; see `query_terms` for `names` and `ignored`."""
        terms = query_terms(text, names, ignored, config)
        return cls(text, terms, names, named_dates(text), config, has_prefix, time_zone, periods)


class Features(Mapping[str, Floats]):
    """Features by name, each an array with one element per memory."""

    def __init__(self, names: Sequence[str], values: Floats) -> None:
        """`values` has a row for each of `names` and a column for each memory."""
        self._rows = {name: row for row, name in enumerate(names)}
        self._values = values

    def __getitem__(self, name: str) -> Floats:
        return np.asarray(self._values[self._rows[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, memories: Ints) -> Features:
        """Return the features of some memories, given by their column numbers."""
        return Features(list(self._rows), self._values[:, memories])


@dataclass(frozen=True)
class PoolFeatures:
    """Features of a pool's memories."""

    features: Features
    #: Index of the best passage of each memory, by its words and, to a small part, its meaning.
    best: Ints
    #: Weighted share of the question's words that occur nowhere in the pool.
    absent: float


def describe(pool: Pool, question: RankingQuery) -> PoolFeatures:
    """Compute the features of a pool's memories."""
    records, terms = pool.passages.records, question.terms
    bm25, coverage, present, close, mentions = _match(pool, terms, terms.hashes)
    for hashes in terms.spellings:
        other = _match(pool, terms, hashes)
        bm25 = np.maximum(bm25, _PLAIN_SHARE * other[0])
        coverage = np.maximum(coverage, other[1])
        present, close = present | other[2], np.maximum(close, other[3])
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
        (records.flags & ASKS).astype(np.uint8),
        ALONE_SHARE,
        _MEANING_SHARE,
    )
    others = {
        **_people(pool, question, turns[DESCRIBED.index("m_mention")]),
        **_traits(pool),
        **compare_dates(pool.heads(pool.passages.moments), question.dates, question.time_zone),
        **_query_features(question),
        "m_absent": pool.absent,
    }
    held = int(np.bitwise_or.reduce(present)) if len(present) else 0
    return PoolFeatures(_stacked(turns, others, pool.size), best, terms.share_absent(held))


def _match(
    pool: Pool, terms: QueryTerms, hashes: npt.NDArray[np.uint32]
) -> tuple[Floats, Floats, npt.NDArray[np.uint64], Floats, Floats]:
    """Return the matches of each passage with the words of a question in one spelling; see `match_words`."""
    records = pool.passages.records
    return match_words(
        records.terms,
        records.begins,
        records.counts,
        hashes,
        terms.weights,
        terms.pairs,
        terms.names,
        K1,
        B,
        MEAN_LENGTH,
        PAIR_DISTANCE,
    )


def _stacked(turns: Floats, others: Mapping[str, Floats | float], size: int) -> Features:
    """Return the features of turns and the other features as rows of one array."""
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
        # A memory without an author, such as a note, concerns the persons in its text.
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


def _query_features(question: RankingQuery) -> dict[str, float]:
    terms = question.terms
    return {
        **question_traits(question.text),
        "q_idf": terms.total,
        "q_terms": float(len(terms.hashes)),
        "q_names": float(len(question.names)),
        "q_unk": float(terms.unknown.sum()),
    }

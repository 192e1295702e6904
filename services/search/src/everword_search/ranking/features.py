"""What the models are given of each candidate: numbers that depend on the query, the memory and its two neighbours.

Nothing here depends on the namespace's statistics or on which other candidates there are. Every feature is an array
with one element a memory; those named `_p1`, `_n1`, `_p2`, `_n2` are of the turn before, after, and the ones beyond,
and 0 where there is none within the session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from everword.text.author_names import name_words
from everword.text.ranking_record import ASKS
from everword_search.ranking.arrays import Floats, known
from everword_search.ranking.dates import NamedDates, compare_dates, named_dates
from everword_search.ranking.pool import Pool
from everword_search.ranking.question import question_traits
from everword_search.ranking.terms import QueryTerms, query_terms
from everword_search.ranking.words import Matches, match_words

#: By role, as stored, whether it answers people: assistant, system and tool do.
_ANSWERS = np.array([role in (1, 3, 4) for role in range(2**8)], float)
#: What of its own values counts as that of neighbours for a memory that has none, such as a summary: about what turns
#: have in common with those next to them.
ALONE_SHARE = 0.8
#: What a deviation of a cosine counts against BM25 where a memory's best passage is chosen.
_MEANING_SHARE = 0.02
NEIGHBOURS = {"p1": -1, "n1": 1, "p2": -2, "n2": 2}


@dataclass(frozen=True)
class Question:
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

    @classmethod
    def ask(
        cls,
        text: str,
        names: frozenset[str],
        ignored: frozenset[str],
        config: str,
        time_zone: str,
        has_prefix: bool = False,
    ) -> Question:
        """Return the question that `text` asks; see `query_terms`."""
        terms = query_terms(text, names, ignored, config)
        return cls(text, terms, names, named_dates(text), config, has_prefix, time_zone)


@dataclass(frozen=True)
class Described:
    """What is known of the memories of a pool."""

    #: By name, one element a memory.
    features: Mapping[str, Floats]
    #: How well each passage stands for its memory: by its words, and then by its meaning.
    passages: Floats


def describe(pool: Pool, question: Question) -> Described:
    """Compute what the models are given of a pool's memories."""
    matches = match_words(pool.passages.records, question.terms)
    features = {
        **_relevance(pool, question, matches),
        **_people(pool, question, matches),
        **_traits(pool),
        **_dates(pool, question),
        **_asked(pool, question),
    }
    return Described(features, matches.bm25 + _MEANING_SHARE * known(pool.cosines))


def _relevance(pool: Pool, question: Question, matches: Matches) -> dict[str, Floats]:
    words = pool.best(matches.bm25)
    meaning = pool.best(pool.cosines)
    features = {
        "sb": words,
        "de": meaning,
        "cov": pool.best(matches.coverage),
        "bg": pool.best(matches.pairs),
        **_held(pool, question.terms, matches),
    }
    likeness = known(meaning)
    for suffix, distance in NEIGHBOURS.items():
        features[f"sb_{suffix}"] = _around(pool, words, distance)
        features[f"de_{suffix}"] = _around(pool, likeness, distance)
    return features


def _around(pool: Pool, values: Floats, distance: int) -> Floats:
    """Return what stands around a memory; what stands alone has its context within itself."""
    near = pool.neighbour(values, distance)
    return np.where(pool.alone, ALONE_SHARE * values, near)


def _held(pool: Pool, terms: QueryTerms, matches: Matches) -> dict[str, Floats]:
    """Return which of the question's words a memory holds, and which it holds together with the turns next to it."""
    held = np.maximum.reduceat(matches.present, pool.starts, axis=0)
    together = np.maximum.reduce([held, pool.neighbours(held, -1), pool.neighbours(held, 1)])
    share = terms.weights / (terms.total or 1.0)
    around = together @ share
    rarest = np.argsort(-terms.weights, kind="stable")[:2]
    return {
        "covm": held @ share,
        "covw": around,
        "cov3": _around(pool, around, -1) + _around(pool, around, 1),
        "cov_rare": pool.best(matches.present[:, rarest].sum(axis=1)),
        "m_hit": held.sum(axis=1),
        "m_unk": (1 - together[:, terms.unknown]).sum(axis=1),
        "m_absent": pool.absent,
        "q_unk": np.full(pool.size, float(terms.unknown.sum())),
    }


def _people(pool: Pool, question: Question, matches: Matches) -> dict[str, Floats]:
    authors = pool.authors
    those_named = {each for each in set(authors) if not question.names.isdisjoint(name_words(each))}
    spoken = np.array([bool(author) for author in authors])
    mentioned = pool.best(matches.names)
    named = np.array([author in those_named for author in authors], float)
    named = np.where(spoken, named, mentioned)
    return {
        "m_named": named,
        # What nobody said, such as a note, is about whom it mentions.
        "m_other": np.where(spoken, 1 - named, 0.0) if question.names else np.zeros(pool.size),
        "m_mention": mentioned,
        "q_names": np.full(pool.size, float(len(question.names))),
    }


def _traits(pool: Pool) -> dict[str, Floats]:
    records = pool.passages.records
    flags = records.flags[pool.starts]
    length = np.log1p(records.words[pool.starts].astype(float))
    asks = (flags & ASKS > 0).astype(float)
    ones = np.ones(pool.size)
    before = pool.neighbour(ones, -1), pool.neighbour(ones, -2)
    after = pool.neighbour(ones, 1), pool.neighbour(ones, 2)
    return {
        "d_role": 1.0 - _ANSWERS[pool.heads(pool.passages.roles)],
        "d_len": length,
        "d_q": asks,
        "d_time": records.time_words[pool.starts].astype(float),
        "d_self": records.self_words[pool.starts] / np.maximum(8.0, records.words[pool.starts]),
        "d_prevlen": pool.neighbour(length, -1),
        "d_prevq": pool.neighbour(asks, -1),
        "d_pos": before[0] + before[1],
        "d_last": after[0] + after[1],
    }


def _dates(pool: Pool, question: Question) -> dict[str, Floats]:
    moments = pool.heads(pool.passages.moments).tolist()
    return compare_dates(moments, question.dates, question.time_zone)


def _asked(pool: Pool, question: Question) -> dict[str, Floats]:
    traits: Mapping[str, float] = {
        **question_traits(question.text),
        "q_idf": question.terms.total,
        "q_terms": float(len(question.terms.hashes)),
    }
    return {name: np.full(pool.size, value) for name, value in traits.items()}

"""Hits: the memories of a page, as they are ranked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from everword_search.passages.ranked import Ranked, TermScore
from everword_search.retrieval.arms.base import SearchArm
from everword_search.retrieval.coverage import QueryCoverage


# ScorePart and Hit are not frozen: a search creates hundreds, and creating a frozen one takes four times as long.
@dataclass(slots=True)
class ScorePart:
    """The share of one arm in a hit's score."""

    arm: SearchArm
    raw: float
    score: float
    #: The arm's share in the hit's score; those of all arms and signals are 1 together, if all arms ran.
    weight: float


@dataclass(frozen=True)
class Signal:
    """Something that a hit is ranked by beside relevance."""

    name: str
    #: From 0 to 1.
    value: float
    weight: float


@dataclass(slots=True)
class RankedHit:
    """A memory that a search found."""

    source_id: UUID
    passage_id: int
    score: float
    #: Position at which the page after this hit begins.
    position: list[Any]
    parts: tuple[ScorePart, ...]
    terms: tuple[TermScore, ...] = ()
    signals: tuple[Signal, ...] = ()
    #: How much speaks for its answering the query, on a scale of the profile's own; None where that cannot be told.
    evidence: float | None = None
    #: What a learned ranking was given, where that was asked for.
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundHits:
    """The hits of a page."""

    hits: list[RankedHit]
    #: The evidence for the results that decide the verdict, best ranked first; empty where that cannot be told. Of the
    #: first page: with one arm, later ones do not look at those.
    deciding: tuple[float, ...] = ()
    #: The first results themselves, on a first page.
    first: Sequence[RankedHit] = ()
    #: How much of the query the candidates contain.
    coverage: QueryCoverage = field(default_factory=QueryCoverage)
    #: Returns all results, on whichever page; None where only an arm knows them.
    order: Callable[[], Ranked] | None = None

"""Hits: ranked memories of a page, before their text is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from everword_search.passages.ranked_memories import RankedMemories, TermScore
from everword_search.retrieval.arms.base import SearchArm
from everword_search.retrieval.coverage import QueryCoverage


# ScorePart and RankedHit are not frozen, because a search creates hundreds, and creating a frozen one takes four times
# as long.
@dataclass(slots=True)
class ScorePart:
    """The contribution of one arm to a hit's score."""

    arm: SearchArm
    raw: float
    score: float
    #: Weight of the arm; the weights of all arms and signals add up to 1 if all arms ran.
    weight: float


@dataclass(frozen=True)
class Signal:
    """A ranking signal other than relevance."""

    name: str
    #: From 0 to 1.
    value: float
    weight: float


@dataclass(slots=True)
class RankedHit:
    """A ranked memory."""

    source_id: UUID
    passage_id: int
    score: float
    #: Position at which the page after this hit begins.
    position: list[Any]
    parts: tuple[ScorePart, ...]
    terms: tuple[TermScore, ...] = ()
    signals: tuple[Signal, ...] = ()
    #: Evidence that it answers the query, on the profile's own scale; None if unknown.
    evidence: float | None = None
    #: Log-odds that it is about the query; None if unknown, as without the profile `recall`.
    match: float | None = None
    #: Features for the learned ranking; empty unless requested.
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundHits:
    """The hits of a page."""

    hits: list[RankedHit]
    #: Evidence of the results that decide the verdict, best ranked first; empty if unknown. Use it on the first page
    #: only: with one arm, later pages do not read these results.
    deciding: tuple[float, ...] = ()
    #: The first results themselves, on a first page.
    first: Sequence[RankedHit] = ()
    #: How much of the query the candidates contain.
    coverage: QueryCoverage = field(default_factory=QueryCoverage)
    #: Returns the results of all pages in ranking order; None if only the arm can find them.
    order: Callable[[], RankedMemories] | None = None

"""The requests that callers make of search, and the results they get, free of protobuf."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any
from uuid import UUID

import numpy as np

from everword.db.arrays import Array, array_of_uuids, uuids_of
from everword.domain.records import MemoryRecord
from everword_search.endings.model import Ending
from everword_search.records.model import EVERYTHING, FIRST_PAGE, MemoryFilter, PageRequest
from everword_search.retrieval.confidence import Confidence
from everword_search.retrieval.spoken import Spoken
from everword_search.summaries.model import (
    DEFAULT_LIMITS,
    ExpandMode,
    Expansion,
    ExpansionLimits,
)


class SearchMode(IntEnum):
    """The way a query is matched. Values equal proto `SearchMode`."""

    HYBRID = 1
    LEXICAL = 2
    TRIGRAM = 3
    REGEX = 4
    SEMANTIC = 5


class SearchArm(IntEnum):
    """A way in which candidates are found. Values equal proto `SearchArm`."""

    LEXICAL = 1
    TRIGRAM = 2
    REGEX = 3
    SEMANTIC = 4
    GRAPH = 5


class ArmState(IntEnum):
    """The outcome of an arm. Values equal proto `ArmReport.State`."""

    RAN = 1
    SKIPPED = 2
    DEGRADED = 3


class Verdict(IntEnum):
    """The judgement whether an answer is among the results. Values equal proto `Verdict`."""

    RELEVANT = 1
    NOTHING_RELEVANT = 2


class CalibrationState(IntEnum):
    """The state of a calibration: whether relevance can be told. Values equal proto `Calibration`."""

    #: The mode has none.
    UNSPECIFIED = 0
    CALIBRATED = 1
    UNCALIBRATED = 2


@dataclass(frozen=True)
class BalancedOptions:
    """The changes that a request makes to the profile `balanced`; None keeps what the profile has."""

    lexical_weight: float | None = None
    semantic_weight: float | None = None
    temporal_weight: float | None = None
    importance_weight: float | None = None
    half_life: timedelta | None = None
    #: 0 for all.
    use_cap: int | None = None


@dataclass(frozen=True)
class SearchRequest:
    """A question to memory."""

    text: str
    mode: SearchMode = SearchMode.HYBRID
    filter: MemoryFilter = EVERYTHING
    page: PageRequest = FIRST_PAGE
    explain: bool = False
    at_least_as_fresh: str = ""
    min_score: float = 0.0
    #: Results that are less relevant are left out; 0 leaves out none.
    min_relevance: float = 0.0
    #: 0 for the default.
    max_content_chars: int = 0
    #: False takes `text` as words alone: it was not written as a query.
    operators: bool = True
    #: How HYBRID ranks, by name; other modes rank by their one arm.
    profile: str = "recall"
    balanced: BalancedOptions | None = None
    expand: ExpandMode = ExpandMode.NONE
    #: Whether nodes come with what they are related to.
    with_relations: bool = True
    expansion_limits: ExpansionLimits = DEFAULT_LIMITS
    #: When the question is asked; None for now.
    reference_time: datetime | None = None


@dataclass(frozen=True)
class TermScore:
    """The contribution of one term to a BM25 score."""

    term: str
    idf: float
    document_frequency: int
    term_frequency: int
    score: float


@dataclass(frozen=True)
class Candidate:
    """A memory as one arm sees it, by its best passage."""

    source_id: UUID
    passage_id: int
    raw: float
    #: `raw` on the scale from 0 to 1.
    score: float
    #: Where the arm's next page begins.
    position: list[Any]
    terms: tuple[TermScore, ...] = ()

    @property
    def matches(self) -> bool:
        return self.score > 0


@dataclass(frozen=True, eq=False)
class Ranked:
    """The memories that an arm found, best first: a column each, an element a memory."""

    passage_ids: Array
    #: `S16`; see `everword.db.arrays`.
    source_ids: Array
    raws: Array
    scores: Array
    #: What each term contributes, where that was asked for.
    terms: Mapping[UUID, tuple[TermScore, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> Ranked:
        return cls(
            np.array([each.passage_id for each in candidates], np.int64),
            array_of_uuids([each.source_id for each in candidates]),
            np.array([each.raw for each in candidates], float),
            np.array([each.score for each in candidates], float),
            {each.source_id: each.terms for each in candidates if each.terms},
        )

    def candidates(self) -> list[Candidate]:
        columns = zip(
            uuids_of(self.source_ids),
            self.passage_ids.tolist(),
            self.raws.tolist(),
            self.scores.tolist(),
            strict=True,
        )
        return [
            Candidate(
                source_id,
                passage_id,
                raw,
                score,
                [score, passage_id],
                self.terms.get(source_id, ()),
            )
            for source_id, passage_id, raw, score in columns
        ]

    def places_of(self, source_ids: Array) -> Array:
        """Return where memories are in here, -1 for those that are not."""
        if not len(self.source_ids):
            return np.full(len(source_ids), -1)
        order = np.argsort(self.source_ids)
        slots = np.searchsorted(self.source_ids, source_ids, sorter=order)
        places = order[np.minimum(slots, len(order) - 1)]
        return np.where(self.source_ids[places] == source_ids, places, -1)


# Some hundreds of the following three are made in a search: were they frozen, each would take four times as long.


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
class Hit:
    """A memory found."""

    source_id: UUID
    passage_id: int
    score: float
    #: Where the page after this hit begins.
    position: list[Any]
    parts: tuple[ScorePart, ...]
    terms: tuple[TermScore, ...] = ()
    signals: tuple[Signal, ...] = ()
    #: How much speaks for its answering the query, on a scale of the profile's own; None where that cannot be told.
    evidence: float | None = None
    #: What a learned ranking was given, where that was asked for.
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """The hits of a page."""

    hits: list[Hit]
    #: The evidence for the results that decide the verdict, best ranked first; empty where that cannot be told. Of the
    #: first page: with one arm, later ones do not look at those.
    deciding: tuple[float, ...] = ()
    #: The first results themselves, on a first page.
    first: Sequence[Hit] = ()
    #: Whether what was found speaks of what the query says.
    spoken: Spoken = field(default_factory=Spoken)
    #: Returns all results, on whichever page; None where only an arm knows them.
    order: Callable[[], Ranked] | None = None


@dataclass(frozen=True)
class ArmReport:
    """The report of an arm: its outcome, the reason, and how long it took."""

    arm: SearchArm
    state: ArmState
    reason: str = ""
    duration_s: float = 0.0


@dataclass(slots=True)
class SearchResult:
    """A memory found, with its words."""

    memory: MemoryRecord
    passage: str
    hit: Hit
    #: From 0 to 1; None where it cannot be told.
    relevance: float | None = None
    confidence: Confidence = Confidence.UNSPECIFIED
    #: Whether it is a summary that holds something that its sources do not.
    needs_review: bool = False
    #: Whether it is a summary of a day or more: of everybody in the namespace, whoever was heard then.
    is_of_period: bool = False
    #: Of a summary that was expanded.
    expansion: Expansion | None = None
    #: What it says and does not hold any more, the latest to end first.
    endings: Sequence[Ending] = ()
    #: Of a node: what it is related to, as lines.
    relations: Sequence[str] = ()


@dataclass(frozen=True)
class SearchResponse:
    """A page of results."""

    results: list[SearchResult]
    next_page_token: str
    arms: list[ArmReport]
    verdict: Verdict
    calibration: CalibrationState
    #: That one of the first ten results answers.
    confidence: Confidence
    #: Words of the query that are said nowhere, in lower case, each with what was looked for instead.
    corrections: Mapping[str, str] = field(default_factory=dict)

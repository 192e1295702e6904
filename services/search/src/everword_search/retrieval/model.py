"""The requests that callers make of search, and the results they get, free of protobuf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum

from everword.domain.records import MemoryRecord
from everword.rpc.pages import FIRST_PAGE, PageRequest
from everword_search.endings.model import Ending
from everword_search.records.model import EVERYTHING, MemoryFilter
from everword_search.retrieval.arms.base import ArmReport
from everword_search.retrieval.confidence import Confidence
from everword_search.retrieval.hits import RankedHit
from everword_search.retrieval.profiles import BalancedOptions
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


class Verdict(IntEnum):
    """The judgement whether an answer is among the results. Values equal proto `Verdict`."""

    RELEVANT = 1
    NOTHING_RELEVANT = 2


class CalibrationState(IntEnum):
    """The state of a calibration: whether relevance can be computed. Values equal proto `Calibration`."""

    #: The mode has no relevance.
    UNSPECIFIED = 0
    CALIBRATED = 1
    UNCALIBRATED = 2


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


# Not frozen: a search creates hundreds, and creating a frozen one takes four times as long.
@dataclass(slots=True)
class SearchResult:
    """A memory that a search found, with its text."""

    memory: MemoryRecord
    passage: str
    hit: RankedHit
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

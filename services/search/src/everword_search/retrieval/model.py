"""Search requests and results, free of protobuf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from uuid import UUID

from everword.domain.records import MemoryRecord
from everword.rpc.pages import FIRST_PAGE, PageRequest
from everword_search.endings.model import Ending
from everword_search.records.model import EVERYTHING, MemoryFilter
from everword_search.retrieval.arms.base import ArmReport
from everword_search.retrieval.confidence import Confidence
from everword_search.retrieval.full_text import FullText
from everword_search.retrieval.hits import RankedHit
from everword_search.retrieval.profiles import BalancedOptions
from everword_search.summaries.model import (
    DEFAULT_LIMITS,
    ExpandMode,
    Expansion,
    ExpansionLimits,
)


class SearchMode(IntEnum):
    """How a query is matched. Values equal proto `SearchMode`."""

    HYBRID = 1
    LEXICAL = 2
    TRIGRAM = 3
    REGEX = 4
    SEMANTIC = 5


class Verdict(IntEnum):
    """The verdict: do the results probably contain an answer? Values equal proto `Verdict`."""

    RELEVANT = 1
    NOTHING_RELEVANT = 2


class CalibrationState(IntEnum):
    """The state of the calibration that relevance is computed from. Values equal proto `Calibration`."""

    #: The mode has no relevance.
    UNSPECIFIED = 0
    CALIBRATED = 1
    UNCALIBRATED = 2


@dataclass(frozen=True)
class SearchRequest:
    """A search request."""

    text: str
    mode: SearchMode = SearchMode.HYBRID
    filter: MemoryFilter = EVERYTHING
    page: PageRequest = FIRST_PAGE
    explain: bool = False
    at_least_as_fresh: str = ""
    min_score: float = 0.0
    #: Results of less relevance are left out; 0 leaves out none.
    min_relevance: float = 0.0
    #: Maximum characters of each memory; 0 means the default.
    max_content_chars: int = 0
    #: False treats `text` as plain words without operators.
    operators: bool = True
    #: Name of the ranking profile for HYBRID; other modes rank by their one arm.
    profile: str = "recall"
    balanced: BalancedOptions | None = None
    expand: ExpandMode = ExpandMode.NONE
    #: True if results that are nodes include their relations.
    with_relations: bool = True
    expansion_limits: ExpansionLimits = DEFAULT_LIMITS
    #: Maximum characters to read around the best result's passage; 0 reads none, and results have no `full`.
    section_chars: int = 0
    #: The moment of the question; None for now.
    reference_time: datetime | None = None
    #: The conversation in which the question is asked, whose last turns may complete it.
    conversation_id: UUID | None = None


# Not frozen, because a search creates hundreds, and creating a frozen one takes four times as long.
@dataclass(slots=True)
class SearchResult:
    """A memory found by a search, with its text."""

    memory: MemoryRecord
    passage: str
    hit: RankedHit
    #: From 0 to 1; None if unknown.
    relevance: float | None = None
    confidence: Confidence = Confidence.UNSPECIFIED
    #: True for a summary with statements that its sources do not support.
    needs_review: bool = False
    #: True for a summary that mentions too little of its sources.
    incomplete: bool = False
    #: Set for an expanded summary.
    expansion: Expansion | None = None
    #: Outdated facts that it states, the latest to end first.
    endings: Sequence[Ending] = ()
    #: Relations of a node, one line each.
    relations: Sequence[str] = ()
    #: The text around the passage; None unless requested, and for the sentence of a tool call.
    full: FullText | None = None


@dataclass(frozen=True)
class SearchResponse:
    """A page of results."""

    results: list[SearchResult]
    next_page_token: str
    arms: list[ArmReport]
    verdict: Verdict
    calibration: CalibrationState
    #: Confidence that one of the first ten results answers.
    confidence: Confidence
    #: Misspelt words of the query in lower case, each with the word searched instead.
    corrections: Mapping[str, str] = field(default_factory=dict)
    #: The query with words of its conversation; empty if it was searched as it is.
    completed_query: str = ""

"""What callers ask of patterns, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any
from uuid import UUID

from everword.text.case_folding import fold_spaces
from everword_ingest.patterns.store import DecisionRow, OutcomeRow, PatternRow


class ThresholdSource(IntEnum):
    """Where a threshold comes from. Values equal proto `ThresholdSource`."""

    DEFAULT = 1
    TYPE = 2
    REQUEST = 3


@dataclass(frozen=True)
class Seen:
    """What was done with an entity."""

    entity: str
    type: str
    category: str
    data: dict[str, Any]
    agent: str
    reason: str


@dataclass(frozen=True)
class OutcomeReport:
    """Whether a pattern that was used was right."""

    pattern_id: UUID
    agreed: bool
    reason: str


@dataclass(frozen=True)
class PatternFilter:
    """The patterns that are listed; None lets every value through."""

    entity_key: str | None
    type: str | None
    category: str | None


@dataclass(frozen=True)
class Counted:
    """A pattern after a write."""

    pattern: PatternRow
    created: bool = False
    replayed: bool = False


@dataclass(frozen=True)
class Decided:
    """What was decided, and by what; no decision where there is no pattern."""

    threshold: float
    source: ThresholdSource
    decision: DecisionRow | None = None
    pattern: PatternRow | None = None


@dataclass(frozen=True)
class PatternExplanation:
    """What a pattern rests on, and what was decided by it."""

    pattern: PatternRow
    outcomes: list[OutcomeRow]
    decisions: list[DecisionRow]
    threshold: float


def entity_key(entity: str) -> str:
    """Return what two ways of writing an entity share: neither case nor spaces tell them apart."""
    return fold_spaces(entity)

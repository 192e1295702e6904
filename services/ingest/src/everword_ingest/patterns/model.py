"""Requests about patterns, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any
from uuid import UUID

from everword.text.case_folding import fold_spaces
from everword_ingest.patterns.store import DecisionRow, OutcomeRow, PatternRow


class ThresholdSource(IntEnum):
    """Source of a threshold. Values equal proto `ThresholdSource`."""

    DEFAULT = 1
    TYPE = 2
    REQUEST = 3


@dataclass(frozen=True)
class EntityAction:
    """An observed action on an entity."""

    entity: str
    type: str
    category: str
    data: dict[str, Any]
    agent: str
    reason: str


@dataclass(frozen=True)
class OutcomeReport:
    """An outcome of using a pattern: right or wrong."""

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
class PatternWriteResult:
    """A pattern after a write."""

    pattern: PatternRow
    created: bool = False
    replayed: bool = False


@dataclass(frozen=True)
class ThresholdDecision:
    """A decision and its threshold; `decision` is None without a pattern."""

    threshold: float
    source: ThresholdSource
    decision: DecisionRow | None = None
    pattern: PatternRow | None = None


@dataclass(frozen=True)
class PatternExplanation:
    """A pattern with its outcomes and decisions."""

    pattern: PatternRow
    outcomes: list[OutcomeRow]
    decisions: list[DecisionRow]
    threshold: float


def entity_key(entity: str) -> str:
    """Return the entity with case and spaces folded; spellings that differ only in these share it."""
    return fold_spaces(entity)

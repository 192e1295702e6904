"""Erasures, their targets and their results, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any
from uuid import UUID


class Kind(IntEnum):
    """Targets that a request names by a field of their own. Values equal proto `ErasureKind`, which has more."""

    MESSAGE = 1
    CONVERSATION = 2
    SUBJECT = 3
    AUTHOR = 4
    NOTE = 5
    FACT = 6
    LEARNED = 7
    NODE = 8
    PATTERN = 9
    DOCUMENT = 10


class ErasureState(IntEnum):
    """How far an erasure is. Values equal proto `ErasureState`."""

    RUNNING = 1
    DONE = 2


@dataclass(frozen=True)
class RunningDeletion:
    """An erasure, or a run of retention, that is not done."""

    namespace_id: int
    id: UUID


@dataclass(frozen=True)
class ErasureTarget:
    """The target of an erasure: an id, or the name of a subject or an author."""

    #: None: found by the id.
    kind: Kind | None
    id: UUID | None = None
    name: str | None = None


@dataclass(frozen=True)
class ResolvedTarget:
    """A target whose kind is known."""

    #: Value of proto `ErasureKind`.
    kind: int
    id: UUID | None = None
    name: str | None = None


@dataclass(frozen=True)
class ErasureRow:
    """The record of an erasure."""

    id: UUID
    kind: int
    state: int
    counts: dict[str, int]
    #: Rows that matched the target; a lower bound until the erasure is done. 0: nothing matched.
    matched_rows: int
    target_hash: bytes
    requested_by: str
    requested_at: datetime
    finished_at: datetime | None
    error: str


@dataclass(frozen=True)
class StepResult:
    """Rows that a step deleted, and derived rows to recompute."""

    counts: dict[str, int]
    facts_to_weigh: list[UUID]
    #: Times at whose end a fact began that is gone.
    intervals_to_open: list[UUID]
    people_to_fold: list[UUID]
    events_to_fold: list[UUID]
    conversations_to_compact: list[UUID]
    #: Authors of whom nothing is left.
    authors_gone: list[str]
    #: True if the erasure is done.
    done: bool

    @classmethod
    def of(cls, answer: dict[str, Any]) -> StepResult:
        """Return the result of a database function."""

        def ids(name: str) -> list[UUID]:
            return sorted(UUID(each) for each in answer.get(name, []))

        counts = {
            name: int(value)
            for name, value in answer.items()
            if isinstance(value, int) and not isinstance(value, bool)
        }
        return cls(
            counts,
            ids("facts_to_weigh"),
            ids("intervals_to_open"),
            ids("people_to_fold"),
            ids("events_to_fold"),
            ids("conversations_to_compact"),
            sorted(answer.get("authors_gone", [])),
            bool(answer.get("done", False)),
        )


@dataclass(frozen=True)
class ErasurePreview:
    """The rows that an erasure would delete."""

    #: Value of proto `ErasureKind`.
    kind: int
    #: Subjects or authors with a similar name, if nothing matches.
    similar_names: list[str]
    #: Rows by table, as the record of the erasure will have them.
    counts: dict[str, int]
    summaries_withdrawn: int
    facts_gone: int
    facts_losing_evidence: int
    sample_ids: list[UUID]


@dataclass(frozen=True)
class ErasureResult:
    """The result of a request."""

    erasure: ErasureRow
    #: Messages that are hidden, and still to be deleted.
    messages_left: int
    replayed: bool

"""Computes the changes of a new relation to the stored intervals.

Rows are never changed in place: an interval that turns out different is superseded by another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.graph.model import DEFAULT_CONFIDENCE, GraphSource


@dataclass(frozen=True)
class EdgeIntervalRow:
    """A relation in one of the times in which it holds, as it is stored."""

    #: None if it is not stored yet.
    id: UUID | None
    edge_id: UUID
    from_id: UUID
    to_id: UUID
    type: str
    label: str
    confidence: float
    source: int
    message_id: UUID | None
    quote: str
    fact_id: UUID | None
    valid_from: datetime | None
    #: Exclusive; None without a known end.
    valid_until: datetime | None

    @property
    def relation(self) -> tuple[UUID, UUID, str]:
        return self.from_id, self.to_id, self.type


@dataclass(frozen=True)
class EdgeStatement:
    """A statement of a relation."""

    label: str
    #: None if unknown.
    confidence: float | None
    source: GraphSource
    message_id: UUID | None
    quote: str
    fact_id: UUID | None
    #: The times in which it holds; of a fact there may be none, or several.
    times: Sequence[tuple[datetime | None, datetime | None]]


@dataclass(frozen=True)
class EdgePlacement:
    """Superseded rows (`gone`) and rows that are current from now on (`come`)."""

    gone: Sequence[EdgeIntervalRow] = ()
    come: Sequence[EdgeIntervalRow] = ()


def place_edge(
    known: Sequence[EdgeIntervalRow], new: EdgeIntervalRow, statement: EdgeStatement, now: datetime
) -> EdgePlacement:
    """Return what changes. `new` is a row for the relation, in which its ends and its type count.

    `known` are the rows of the same relation. What is there is filled in. What had ended, and is said to hold, begins
    again.
    """
    if statement.fact_id is not None:
        return _with_fact(known, new, statement, now)
    [(since, until)] = statement.times
    if known and since is None and all(_ended(each, now) for each in known):
        since = now
    for row in known:
        if row.fact_id is not None or overlaps(row, since, until):
            filled = _filled(row, statement)
            if row.fact_id is None and row.valid_until is None and until is not None:
                filled = replace(filled, valid_until=until)
            if row.fact_id is None and row.valid_from is None and since is not None:
                filled = replace(filled, valid_from=since)
            return (
                EdgePlacement()
                if filled == row
                else EdgePlacement([row], [replace(filled, id=None)])
            )
    return EdgePlacement((), [_row(known, new, statement, since, until)])


def times_of_fact(
    times: Sequence[tuple[datetime | None, datetime | None]], now: datetime
) -> Sequence[tuple[datetime | None, datetime | None]]:
    """Return the times of an edge that holds with a fact: an empty one where the fact holds at no time."""
    return times or [(now, now)]


def _with_fact(
    known: Sequence[EdgeIntervalRow], new: EdgeIntervalRow, statement: EdgeStatement, now: datetime
) -> EdgePlacement:
    base = _filled(known[0], statement) if known else _row(known, new, statement, None, None)
    requested = [
        replace(base, fact_id=statement.fact_id, valid_from=since, valid_until=until)
        for since, until in times_of_fact(statement.times, now)
    ]
    there = {replace(row, id=None) for row in known}
    if there == {replace(row, id=None) for row in requested}:
        return EdgePlacement()
    return EdgePlacement(known, [replace(row, id=None) for row in requested])


def _row(
    known: Sequence[EdgeIntervalRow],
    new: EdgeIntervalRow,
    statement: EdgeStatement,
    since: datetime | None,
    until: datetime | None,
) -> EdgeIntervalRow:
    confidence = DEFAULT_CONFIDENCE if statement.confidence is None else statement.confidence
    return replace(
        new,
        id=None,
        edge_id=known[0].edge_id if known else new.edge_id,
        label=statement.label or (known[-1].label if known else ""),
        confidence=confidence,
        source=int(statement.source),
        message_id=statement.message_id,
        quote=statement.quote,
        fact_id=statement.fact_id,
        valid_from=since,
        valid_until=until,
    )


def _filled(row: EdgeIntervalRow, statement: EdgeStatement) -> EdgeIntervalRow:
    """Return a row with missing values filled in, and with the higher confidence."""
    has_evidence = row.message_id is not None or row.quote
    return replace(
        row,
        label=row.label or statement.label,
        confidence=max(row.confidence, statement.confidence or 0.0),
        message_id=row.message_id if has_evidence else statement.message_id,
        quote=row.quote if has_evidence else statement.quote,
    )


def _ended(row: EdgeIntervalRow, now: datetime) -> bool:
    return row.valid_until is not None and row.valid_until <= now


def overlaps(row: EdgeIntervalRow, since: datetime | None, until: datetime | None) -> bool:
    starts_before = until is None or row.valid_from is None or row.valid_from < until
    ends_after = since is None or row.valid_until is None or since < row.valid_until
    return starts_before and ends_after

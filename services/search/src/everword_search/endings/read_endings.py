"""Read what memories say that does not hold any more: one statement for all of a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from everword.db.arrays import ArrayParameter, array_of_uuids
from everword.db.pool import Connection
from everword.db.statements import BoundStatement, fetch_all
from everword.facts.sentence import fact_text
from everword_search.endings.model import Ending, EndingKind, Holding
from everword_search.records.model import MemoryFilter
from everword_search.records.store import namespaced
from everword_search.retrieval.index.store import SQL, Scope

#: By the memory that says it, the latest to end first; memories that say nothing of the kind are not there.
Endings: TypeAlias = Mapping[UUID, Sequence[Ending]]
#: Of what holds, the latest messages that are named.
_CURRENT_MESSAGES = 16
#: Messages of a summary that are looked at.
_SUMMED_UP = 100


@dataclass(frozen=True)
class EndingRow:
    """Something that a memory says and that does not hold, as the statement returns it."""

    memory_id: UUID
    fact_id: UUID
    subject: str
    attribute: str
    value: str
    ended_at: datetime
    #: Whether it held at any time.
    believed: bool
    successor_id: UUID | None
    current_id: UUID | None
    current_value: str | None
    current_since: datetime | None
    current_fact_memory_id: UUID | None
    current_sources: list[UUID] | None
    current_passages: list[int] | None


@dataclass(frozen=True)
class _SaidByRow:
    memory_id: UUID
    message_ids: list[UUID]


@dataclass(frozen=True)
class HasFactsRow:
    """Whether a namespace holds facts."""

    exists: bool


def endings_asked(scope: Scope, source_ids: Sequence[UUID]) -> BoundStatement[EndingRow]:
    """Return what asks for the endings of memories, as of the moment that the filter looks from."""
    until = _horizon(scope.filter)
    at = scope.filter.valid_at or (until and min(until, datetime.now(UTC)))
    parameters = {
        **scope.parameters,
        "source_ids": ArrayParameter(array_of_uuids(source_ids)),
        "endings_at": at,
        "endings_until": until,
        "current_messages": _CURRENT_MESSAGES,
        "summed_up": _SUMMED_UP,
    }
    return BoundStatement(SQL["find_endings"], parameters, EndingRow)


async def read_endings(conn: Connection, scope: Scope, source_ids: Sequence[UUID]) -> Endings:
    """Return the endings of memories; see endings_asked."""
    asked = endings_asked(scope, source_ids)
    return endings_of(await fetch_all(conn, asked.statement, asked.parameters, asked.row))


async def read_said_by(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> dict[UUID, list[UUID]]:
    """Return the messages that say the facts which some memories are, the latest first."""
    parameters = {**namespaced(namespace_id), "source_ids": list(memory_ids)}
    rows = await fetch_all(conn, SQL["said_by"], parameters, _SaidByRow)
    return {row.memory_id: row.message_ids for row in rows}


def has_facts_asked(namespace_id: int) -> BoundStatement[HasFactsRow]:
    """Return what asks whether a namespace holds facts."""
    return BoundStatement(SQL["has_facts"], namespaced(namespace_id), HasFactsRow)


def endings_of(rows: Iterable[EndingRow]) -> Endings:
    """Return endings by the memory that they are of."""
    found = defaultdict[UUID, list[Ending]](list)
    for row in rows:
        found[row.memory_id].append(_ending(row))
    return found


def _horizon(wanted: MemoryFilter) -> datetime | None:
    """Return the moment after which nothing that was said counts; None for none.

    Who names a moment at which memories must hold looks back from now at what is known of it.
    """
    moments = [] if wanted.as_of_time is None else [wanted.as_of_time]
    if wanted.before is not None and wanted.valid_at is None:
        moments.append(wanted.before - timedelta(microseconds=1))
    return min(moments, default=None)


def _ending(row: EndingRow) -> Ending:
    if not row.believed:
        kind = EndingKind.CORRECTED
    elif row.successor_id or row.current_id:
        kind = EndingKind.REPLACED
    else:
        kind = EndingKind.CLOSED
    return Ending(row.fact_id, row.attribute, row.value, kind, row.ended_at, _holding(row))


def _holding(row: EndingRow) -> Holding | None:
    if row.current_id is None or row.current_value is None or row.current_since is None:
        return None
    pairs = zip(row.current_sources or (), row.current_passages or (), strict=True)
    known = [(source, passage) for source, passage in pairs if source is not None]
    if not known:
        return None
    return Holding(
        row.current_id,
        row.current_value,
        fact_text(row.subject, row.attribute, row.current_value),
        row.current_since,
        row.current_fact_memory_id,
        tuple(source for source, _ in known),
        tuple(passage for _, passage in known),
    )

"""Read the outdated facts of all memories on a page at once.

A small statement runs along with those that read the page and names the few memories that may have outdated facts; the
expensive statement runs only for these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID

from everword.db.arrays import ArrayParameter, array_of_uuids
from everword.db.pool import Connection
from everword.db.statements import BoundStatement, fetch_all
from everword.facts.attributes import fact_text
from everword_search.endings.model import CurrentFact, Ending, EndingKind
from everword_search.passages.store import SQL, Scope
from everword_search.records.model import MemoryFilter
from everword_search.records.store import namespaced

#: Outdated facts by memory, the latest to end first; memories without any are absent.
Endings: TypeAlias = Mapping[UUID, Sequence[Ending]]
#: Maximum number of messages named for a current value, the latest ones.
_CURRENT_MESSAGES = 16
#: Messages of a summary that are examined.
_SUMMED_UP = 100
#: Kind of a correction of something that was wrong from the start, in `message_corrections`.
_CORRECTED = 2


@dataclass(frozen=True)
class _EndingRow:
    """An outdated statement of a memory, as returned by `find_endings`."""

    memory_id: UUID
    fact_id: UUID
    subject: str
    attribute: str
    value: str
    ended_at: datetime
    #: True if the value was ever valid; False for a corrected one.
    believed: bool
    successor_id: UUID | None
    current_id: UUID | None
    current_value: str | None
    current_since: datetime | None
    current_fact_memory_id: UUID | None
    current_sources: list[UUID] | None
    current_passages: list[int] | None


@dataclass(frozen=True)
class _CorrectionRow:
    """An outdated statement of a memory that a message corrects, as returned by `find_corrections`."""

    memory_id: UUID
    message_id: UUID
    value: str
    current_value: str
    kind: int
    corrected_at: datetime
    #: Passage of the correcting message; None if the filter excludes the message.
    passage_id: int | None
    content: str | None


@dataclass(frozen=True)
class _EvidenceRow:
    memory_id: UUID
    message_ids: list[UUID]
    quotes: list[str]


@dataclass(frozen=True)
class OutdatedRow:
    """A memory that may have outdated facts."""

    memory_id: UUID


def outdated_statement(
    namespace_id: int, source_ids: Sequence[UUID]
) -> BoundStatement[OutdatedRow]:
    """Return the cheap statement that finds memories that may have outdated facts."""
    parameters = {
        **namespaced(namespace_id),
        "source_ids": ArrayParameter(array_of_uuids(source_ids)),
    }
    return BoundStatement(SQL["find_outdated"], parameters, OutdatedRow)


def _parameters(scope: Scope, source_ids: Sequence[UUID]) -> dict[str, Any]:
    until = _horizon(scope.filter)
    at = scope.filter.valid_at or (until and min(until, datetime.now(UTC)))
    return {
        **scope.parameters,
        "source_ids": ArrayParameter(array_of_uuids(source_ids)),
        "endings_at": at,
        "endings_until": until,
        "current_messages": _CURRENT_MESSAGES,
        "summed_up": _SUMMED_UP,
    }


async def read_endings(conn: Connection, scope: Scope, source_ids: Sequence[UUID]) -> Endings:
    """Return the outdated facts of memories, as of the moment of the scope's filter."""
    asked = outdated_statement(scope.namespace_id, source_ids)
    outdated = await fetch_all(conn, asked.statement, asked.parameters, asked.row)
    return await find_endings(conn, scope, [row.memory_id for row in outdated])


async def find_endings(conn: Connection, scope: Scope, outdated: Sequence[UUID]) -> Endings:
    """Return the outdated facts of memories that `outdated_statement` named."""
    found = defaultdict[UUID, list[Ending]](list)
    if outdated:
        parameters = _parameters(scope, outdated)
        for row in await fetch_all(conn, SQL["find_endings"], parameters, _EndingRow):
            found[row.memory_id].append(_ending(row))
        for correction in await fetch_all(
            conn, SQL["find_corrections"], parameters, _CorrectionRow
        ):
            _add_correction(found[correction.memory_id], correction)
    return found


def _add_correction(endings: list[Ending], row: _CorrectionRow) -> None:
    """Add a correction, unless the correcting message already states the current value of a fact that has ended."""
    if any(each.current and row.message_id in each.current.memory_ids for each in endings):
        return
    current = None
    if row.passage_id is not None and row.content is not None:
        ids, passages = (row.message_id,), (row.passage_id,)
        current = CurrentFact(
            None, row.current_value, row.content, row.corrected_at, row.message_id, ids, passages
        )
    kind = EndingKind.CORRECTED if row.kind == _CORRECTED else EndingKind.REPLACED
    endings.append(Ending(None, "", row.value, kind, row.corrected_at, current))


async def read_evidence_messages(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> dict[UUID | str, tuple[tuple[UUID, str], ...]]:
    """Return, for each fact memory, the ids of the messages that state it with their quotes, the latest first."""
    parameters = {**namespaced(namespace_id), "source_ids": list(memory_ids)}
    rows = await fetch_all(conn, SQL["source_messages"], parameters, _EvidenceRow)
    return {row.memory_id: tuple(zip(row.message_ids, row.quotes, strict=True)) for row in rows}


def _horizon(memory_filter: MemoryFilter) -> datetime | None:
    """Return the moment after which messages are ignored; None for no limit.

    A filter with `valid_at` asks for today's knowledge about that moment, so its `before` sets no limit.
    """
    moments = [] if memory_filter.as_of_time is None else [memory_filter.as_of_time]
    if memory_filter.before is not None and memory_filter.valid_at is None:
        moments.append(memory_filter.before - timedelta(microseconds=1))
    return min(moments, default=None)


def _ending(row: _EndingRow) -> Ending:
    if not row.believed:
        kind = EndingKind.CORRECTED
    elif row.successor_id or row.current_id:
        kind = EndingKind.REPLACED
    else:
        kind = EndingKind.CLOSED
    return Ending(row.fact_id, row.attribute, row.value, kind, row.ended_at, _current_fact(row))


def _current_fact(row: _EndingRow) -> CurrentFact | None:
    if row.current_id is None or row.current_value is None or row.current_since is None:
        return None
    pairs = zip(row.current_sources or (), row.current_passages or (), strict=True)
    known = [(source, passage) for source, passage in pairs if source is not None]
    if not known:
        return None
    return CurrentFact(
        row.current_id,
        row.current_value,
        fact_text(row.subject, row.attribute, row.current_value),
        row.current_since,
        row.current_fact_memory_id,
        tuple(source for source, _ in known),
        tuple(passage for _, passage in known),
    )

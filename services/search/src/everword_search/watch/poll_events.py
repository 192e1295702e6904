"""Read the events of memories since a position, page by page: changes and expirations.

An expiration changes nothing in the database, so it is found by its time, in order of time. If a changed memory has
expired meanwhile, the scan of expirations reports it if its expiry lies after the position; otherwise the change does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.records import MemoryRecord
from everword.domain.tokens import ResumeToken
from everword.rpc.pages import DEFAULT_CONTENT_CHARS
from everword_search.records.model import MemoryFilter, max_parts
from everword_search.records.store import read_memories
from everword_search.records.tiers import Tier, chars_read
from everword_search.watch import store
from everword_search.watch.filters import passes
from everword_search.watch.store import MemoryChangeRow, MemoryStateRow

#: Maximum changes of a page, and maximum memories; a single change is never split, whatever its size.
PAGE_CHANGES, PAGE_MEMORIES = 100, 200


class EventType(IntEnum):
    """Kind of an event. Values equal proto `MemoryEvent.Type`."""

    WRITTEN = 1
    ENDED = 2
    DELETED = 3
    EXPIRED = 4


@dataclass(frozen=True)
class Event:
    """An event of a memory. `memory` is its current state; None if it can no longer be read."""

    type: EventType
    memory_id: UUID
    memory: MemoryRecord | None


@dataclass(frozen=True)
class WatchBatch:
    """A page of events, and the position after it."""

    events: Sequence[Event]
    place: ResumeToken
    #: True if more events are known to follow.
    more: bool


@dataclass(frozen=True)
class _WatchedMemories:
    """Which memories to report, and how much of their text."""

    namespace_id: int
    wanted: MemoryFilter
    tier: Tier


async def look(
    database: Database,
    namespace_id: int,
    memory_filter: MemoryFilter,
    tier: Tier,
    place: ResumeToken,
) -> WatchBatch:
    """Return the next page of events after a position: changes first, and after the last change the expirations."""
    asked = _WatchedMemories(namespace_id, memory_filter, tier)
    async with database.transaction(namespace_id) as conn:
        now = await store.read_clock(conn)
        await store.number_changes(conn, namespace_id)
        changes = await store.list_changes(conn, namespace_id, place.number, PAGE_CHANGES + 1)
        page = _page(changes)
        events = await _changed(conn, asked, page, place)
        if page:
            place = replace(place, number=page[-1].number)
        if len(page) < len(changes):
            return WatchBatch(events, place, True)
        expired = await store.list_expired(conn, namespace_id, place, now, PAGE_MEMORIES + 1)
        happened = [(row.id, EventType.EXPIRED) for row in expired[:PAGE_MEMORIES]]
        events += await _events(conn, asked, happened, {row.id: row for row in expired})
    if len(expired) > PAGE_MEMORIES:
        last = expired[PAGE_MEMORIES - 1]
        assert last.expires_at is not None
        place = replace(place, expired_at=last.expires_at, expired_id=str(last.id))
        return WatchBatch(events, place, True)
    return WatchBatch(
        events, ResumeToken(namespace_id, place.number, max(now, place.expired_at)), False
    )


def _page(changes: Sequence[MemoryChangeRow]) -> Sequence[MemoryChangeRow]:
    """Return the changes of the first page."""
    memories = 0
    for number, change in enumerate(changes):
        memories += len(change.memory_ids)
        if number == PAGE_CHANGES or (number and memories > PAGE_MEMORIES):
            return changes[:number]
    return changes


async def _changed(
    conn: Connection,
    watched: _WatchedMemories,
    changes: Sequence[MemoryChangeRow],
    place: ResumeToken,
) -> list[Event]:
    """Return the events of changes."""
    ids = list(dict.fromkeys(id_ for change in changes for id_ in change.memory_ids))
    events = list[Event]()
    for start in range(0, len(ids), PAGE_MEMORIES):
        batch = ids[start : start + PAGE_MEMORIES]
        states = {row.id: row for row in await store.list_states(conn, watched.namespace_id, batch)}
        happened = [
            (id_, type_)
            for id_ in batch
            if (type_ := _event_type(states.get(id_), place)) is not None
        ]
        events += await _events(conn, watched, happened, states)
    return events


def _event_type(state: MemoryStateRow | None, place: ResumeToken) -> EventType | None:
    """Return the event of a changed memory from its current state; None if the scan of expirations will report it."""
    if state is None:
        return EventType.DELETED
    if state.ended:
        return EventType.ENDED
    if not state.expired or state.expires_at is None:
        return EventType.WRITTEN
    told = (state.expires_at, state.id) <= (place.expired_at, place.last_expired)
    return EventType.EXPIRED if told else None


async def _events(
    conn: Connection,
    watched: _WatchedMemories,
    happened: Sequence[tuple[UUID, EventType]],
    states: Mapping[UUID, MemoryStateRow],
) -> list[Event]:
    """Return events of memories that pass the filter or were deleted, with the memories read."""
    passed = [
        (id_, type_)
        for id_, type_ in happened
        if type_ is EventType.DELETED or passes(watched.wanted, states[id_])
    ]
    there = [id_ for id_, type_ in passed if type_ is not EventType.DELETED]
    found = dict[UUID, MemoryRecord]()
    if there:
        chars = chars_read(watched.tier, None) or DEFAULT_CONTENT_CHARS
        rows = await read_memories(
            conn, watched.namespace_id, there, max_chars=chars, max_parts=max_parts(chars)
        )
        found = {row.id: row for row in rows}
    # A memory deleted since its state was read has a deletion of its own, which is reported next.
    gone = {EventType.DELETED, EventType.EXPIRED}
    return [
        Event(type_, id_, found.get(id_)) for id_, type_ in passed if type_ in gone or id_ in found
    ]

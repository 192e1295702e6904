"""Read what happened to memories since a place, a page at a time: what was changed, and what expired.

What expires changes nothing in the database: it is found by its time, in the order of time. A change to a memory that
has expired meanwhile is not told where its time is going to tell it; where that was looked at already, the change does.
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
from everword_search.watch.matching import passes
from everword_search.watch.store import MemoryChangeRow, MemoryStateRow

#: Changes of a page, and memories of it; those of one change are never parted, however many they are.
PAGE_CHANGES, PAGE_MEMORIES = 100, 200


class EventType(IntEnum):
    """What happened to a memory. Values equal proto `MemoryEvent.Type`."""

    WRITTEN = 1
    ENDED = 2
    DELETED = 3
    EXPIRED = 4


@dataclass(frozen=True)
class Event:
    """What happened to a memory, which is as it is now; None where it cannot be read any more."""

    type: EventType
    memory_id: UUID
    memory: MemoryRecord | None


@dataclass(frozen=True)
class Told:
    """Events, and the place after them."""

    events: Sequence[Event]
    place: ResumeToken
    #: Whether more is known to follow.
    more: bool


@dataclass(frozen=True)
class _WatchedMemories:
    """Of which memories to tell, and how much of each."""

    namespace_id: int
    wanted: MemoryFilter
    tier: Tier


async def look(
    database: Database, namespace_id: int, wanted: MemoryFilter, tier: Tier, place: ResumeToken
) -> Told:
    """Return the next page of what happened after a place: changes, and after the last of them what expired."""
    asked = _WatchedMemories(namespace_id, wanted, tier)
    resumed = bool(place.until)
    async with database.transaction(namespace_id) as conn:
        # Before the changes are read: what it shows, they show too.
        now = await store.take_snapshot(conn)
        if not resumed:
            place = replace(place, until=now.snapshot, until_at=now.taken_at)
        changes = await store.list_changes(conn, namespace_id, place, PAGE_CHANGES + 1)
        page = _page(changes)
        events = await _changed(conn, asked, page, place)
        if len(page) < len(changes):
            return Told(events, replace(place, xid=page[-1].xid, change_id=page[-1].id), True)
        expired = await store.list_expired(conn, namespace_id, place, PAGE_MEMORIES + 1)
        happened = [(row.id, EventType.EXPIRED) for row in expired[:PAGE_MEMORIES]]
        events += await _events(conn, asked, happened, {row.id: row for row in expired})
    # All that the later snapshot shows was told: it takes the place of the earlier one.
    after = ResumeToken(namespace_id, place.until, "", 0, 0, max(place.until_at, place.expired_at))
    if len(expired) > PAGE_MEMORIES:
        last = expired[PAGE_MEMORIES - 1]
        assert last.expires_at is not None
        return Told(
            events, replace(after, expired_at=last.expires_at, expired_id=str(last.id)), True
        )
    return Told(events, after, resumed)


def _page(changes: Sequence[MemoryChangeRow]) -> Sequence[MemoryChangeRow]:
    """Return as many changes as make up a page."""
    memories = 0
    for number, change in enumerate(changes):
        memories += len(change.memory_ids)
        if number == PAGE_CHANGES or (number and memories > PAGE_MEMORIES):
            return changes[:number]
    return changes


async def _changed(
    conn: Connection,
    asked: _WatchedMemories,
    changes: Sequence[MemoryChangeRow],
    place: ResumeToken,
) -> list[Event]:
    """Return what is to be told of changes."""
    ids = list(dict.fromkeys(id_ for change in changes for id_ in change.memory_ids))
    events = list[Event]()
    for start in range(0, len(ids), PAGE_MEMORIES):
        portion = ids[start : start + PAGE_MEMORIES]
        states = {row.id: row for row in await store.list_states(conn, asked.namespace_id, portion)}
        happened = [
            (id_, type_)
            for id_ in portion
            if (type_ := _happened(states.get(id_), place)) is not None
        ]
        events += await _events(conn, asked, happened, states)
    return events


def _happened(state: MemoryStateRow | None, place: ResumeToken) -> EventType | None:
    """Return what a change did to a memory that is so now; None where it expired, and that is told by its time."""
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
    asked: _WatchedMemories,
    happened: Sequence[tuple[UUID, EventType]],
    states: Mapping[UUID, MemoryStateRow],
) -> list[Event]:
    """Return events of those memories that pass the filter, or are gone; what is there is read."""
    passed = [
        (id_, type_)
        for id_, type_ in happened
        if type_ is EventType.DELETED or passes(asked.wanted, states[id_])
    ]
    there = [id_ for id_, type_ in passed if type_ is not EventType.DELETED]
    found = dict[UUID, MemoryRecord]()
    if there:
        chars = chars_read(asked.tier, None) or DEFAULT_CONTENT_CHARS
        rows = await read_memories(
            conn, asked.namespace_id, there, max_chars=chars, max_parts=max_parts(chars)
        )
        found = {row.id: row for row in rows}
    # What is gone since its state was read is told as that next.
    gone = {EventType.DELETED, EventType.EXPIRED}
    return [
        Event(type_, id_, found.get(id_)) for id_, type_ in passed if type_ in gone or id_ in found
    ]

"""Tell what happens to memories, as it happens.

A watcher holds a place and nothing else: no connection, no queue. It asks for one page at a time, in a short
transaction, when what it was told before was taken.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import IntEnum
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import WatchTokenExpired
from everword.domain.records import MemoryRecord
from everword.domain.tokens import ResumeToken
from everword_search.addresses.tiers import Tier, chars_read
from everword_search.records.model import MemoryFilter
from everword_search.records.pages import DEFAULT_CONTENT_CHARS, max_parts
from everword_search.records.store import read_memories
from everword_search.retrieval.index.as_of import find_as_of
from everword_search.watch import store
from everword_search.watch.matching import ensure_watchable, passes

#: Between looks at what happened, where nothing did: longer and longer.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 1.0
#: How long nothing is sent.
SILENCE_S = 10.0
#: Changes of a page, each of which is of one or more memories, and memories of an event page.
PAGE_CHANGES, PAGE_MEMORIES = 100, 200
#: The database keeps changes for a day, by when their transactions began.
KEPT_HOURS = 23
#: A stream ends by itself, well, before the longest that any call may take.
LONGEST_S = 240.0


class EventType(IntEnum):
    """What happened to a memory. Values equal proto `MemoryEvent.Type`."""

    WRITTEN = 1
    ENDED = 2
    DELETED = 3


@dataclass(frozen=True)
class Event:
    """What happened to a memory, which is as it is now."""

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


async def watch_memories(
    database: Database,
    namespace: NamespaceScope,
    wanted: MemoryFilter,
    tier: Tier,
    resume_token: str,
    stopping: asyncio.Event,
) -> AsyncIterator[tuple[Sequence[Event], str]]:
    """Yield events and the token of the place after them, none where nothing happened for a while, until `stopping`.

    Raises InvalidPageToken, WatchTokenExpired, InvalidArgument, and MemoryNotFound for a filter as of no message.
    """
    ensure_watchable(await find_as_of(database, namespace, wanted))
    secret = await database.token_secret()
    place = await _begin(database, namespace, secret, resume_token)
    began = said = time.monotonic()
    yield [], place.seal(secret)
    pause = FIRST_PAUSE_S
    while time.monotonic() < began + LONGEST_S and not stopping.is_set():
        told = await _look(database, namespace.id, wanted, tier, place)
        place = told.place
        if told.events or time.monotonic() >= said + SILENCE_S:
            yield told.events, place.seal(secret)
            said = time.monotonic()
        if told.events or told.more:
            pause = FIRST_PAUSE_S
        if not told.more:
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), pause)
            pause = min(pause * 1.5, LONGEST_PAUSE_S)


async def _begin(
    database: Database, namespace: NamespaceScope, secret: bytes, resume_token: str
) -> ResumeToken:
    async with database.transaction(namespace.id) as conn:
        now = await store.take_snapshot(conn)
    if not resume_token:
        return ResumeToken(namespace.id, now.snapshot, "", 0, 0, now.taken_at)
    place = ResumeToken.read(secret, resume_token, namespace.id)
    if place.taken_at < now.taken_at - KEPT_HOURS * 3600:
        raise WatchTokenExpired(kept_hours=KEPT_HOURS)
    return place


async def _look(
    database: Database, namespace_id: int, wanted: MemoryFilter, tier: Tier, place: ResumeToken
) -> Told:
    """Return the next page of what happened after a place."""
    async with database.transaction(namespace_id) as conn:
        # Before the changes are read: what it shows, they show too.
        now = await store.take_snapshot(conn)
        until = place.until or now.snapshot
        between = replace(place, until=until)
        changes = await store.list_changes(conn, namespace_id, between, PAGE_CHANGES + 1)
        more = len(changes) > PAGE_CHANGES
        changes = changes[:PAGE_CHANGES]
        ids = list(dict.fromkeys(id_ for change in changes for id_ in change.memory_ids))
        events: list[Event] = []
        for start in range(0, len(ids), PAGE_MEMORIES):
            portion = ids[start : start + PAGE_MEMORIES]
            chars = chars_read(tier, None) or DEFAULT_CONTENT_CHARS
            found = await read_memories(
                conn, namespace_id, portion, max_chars=chars, max_parts=max_parts(chars)
            )
            ended = await store.list_ended(conn, namespace_id, portion)
            events += _events(portion, {row.id: row for row in found}, ended, wanted)
    if more:
        last = changes[-1]
        return Told(events, replace(between, xid=last.xid, change_id=last.id), True)
    # All that the later snapshot shows was told: it takes the place of the earlier one.
    taken_at = place.taken_at if place.until else now.taken_at
    after = ResumeToken(namespace_id, until, "", 0, 0, taken_at)
    return Told(events, after, bool(place.until))


def _events(
    ids: Sequence[UUID], found: dict[UUID, MemoryRecord], ended: set[UUID], wanted: MemoryFilter
) -> list[Event]:
    events = []
    for id_ in ids:
        memory = found.get(id_)
        if memory is None:
            events.append(Event(EventType.DELETED, id_, None))
        elif passes(wanted, memory):
            kind = EventType.ENDED if id_ in ended else EventType.WRITTEN
            events.append(Event(kind, id_, memory))
    return events

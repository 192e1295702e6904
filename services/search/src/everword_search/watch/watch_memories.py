"""Stream the events of memories as they happen.

A watcher keeps only its position: no connection and no queue. Once the client has taken a page, the next one is read in
a short transaction.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import WatchTokenExpired
from everword.domain.tokens import ResumeToken
from everword_search.passages.as_of import find_as_of
from everword_search.passages.named_filter import resolve_period
from everword_search.records.model import MemoryFilter
from everword_search.records.tiers import Tier
from everword_search.watch import store
from everword_search.watch.filters import ensure_watchable
from everword_search.watch.poll_events import Event, look

#: Seconds between polls while nothing happens; the pause grows from the first to the longest.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 1.0
#: Seconds without events after which an empty message with the current position is sent.
SILENCE_S = 10.0
#: Maximum age of a resume token in hours; the database keeps changes for a day after their transaction began.
RETENTION_HOURS = 23
#: Seconds after which a stream ends normally, well before the maximum duration of a call.
LONGEST_S = 240.0


async def watch_memories(
    database: Database,
    namespace: NamespaceScope,
    memory_filter: MemoryFilter,
    tier: Tier,
    resume_token: str,
    stopping: asyncio.Event,
) -> AsyncIterator[tuple[Sequence[Event], str]]:
    """Yield events with the token of the position after them, until `stopping` or `LONGEST_S`.

    The events are empty if nothing has happened for a while. Raises InvalidPageToken, WatchTokenExpired,
    InvalidArgument, and MemoryNotFound if the filter's `as_of_message_id` does not exist.
    """
    memory_filter = await resolve_period(database, namespace, memory_filter)
    ensure_watchable(await find_as_of(database, namespace, memory_filter))
    secret = await database.token_secret()
    place = await _begin(database, namespace, secret, resume_token)
    began = said = time.monotonic()
    yield [], place.seal(secret)
    pause = FIRST_PAUSE_S
    while time.monotonic() < began + LONGEST_S and not stopping.is_set():
        told = await look(database, namespace.id, memory_filter, tier, place)
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
        now = await store.read_clock(conn)
        number = await store.number_changes(conn, namespace.id)
    if not resume_token:
        return ResumeToken(namespace.id, number, now)
    place = ResumeToken.read(secret, resume_token, namespace.id)
    if place.expired_at < now - RETENTION_HOURS * 3600:
        raise WatchTokenExpired(kept_hours=RETENTION_HOURS)
    return place

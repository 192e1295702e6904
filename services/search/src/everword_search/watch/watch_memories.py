"""Tell what happens to memories, as it happens.

A watcher holds a place and nothing else: no connection, no queue. It asks for one page at a time, in a short
transaction, when what it was told before was taken.
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
from everword_search.records.model import MemoryFilter
from everword_search.records.tiers import Tier
from everword_search.watch import store
from everword_search.watch.looking import Event, look
from everword_search.watch.matching import ensure_watchable

#: Between looks at what happened, where nothing did: longer and longer.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 1.0
#: How long nothing is sent.
SILENCE_S = 10.0
#: The database keeps changes for a day, by when their transactions began.
KEPT_HOURS = 23
#: A stream ends by itself, well, before the longest that any call may take.
LONGEST_S = 240.0


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
        told = await look(database, namespace.id, wanted, tier, place)
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
    if place.expired_at < now.taken_at - KEPT_HOURS * 3600:
        raise WatchTokenExpired(kept_hours=KEPT_HOURS)
    return place

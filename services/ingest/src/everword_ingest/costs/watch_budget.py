"""Tell when budgets come to a threshold."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.tokens import PageTokens
from everword_ingest.costs import store
from everword_ingest.costs.store import BudgetEventRow

#: Between two looks, and how long nothing is said where nothing comes about.
PAUSE_S, SILENCE_S = 1.0, 10.0
#: Before its deadline a stream ends by itself, and so without an error.
MARGIN_S = 0.5
#: Events that are read at once: whoever reads them slowly finds the rest where they are.
BATCH = 100
#: Longer than any call may take.
_FOREVER_S = 86_400.0


async def watch_budget(
    database: Database, namespace: NamespaceScope, resume_token: str, stopping: asyncio.Event
) -> AsyncIterator[tuple[BudgetEventRow | None, str]]:
    """Yield events with the token that goes on after each, and None where there was none.

    It ends when the deadline is near, or at `stopping`.

    No connection is held between two looks. Raises InvalidPageToken.
    """
    tokens = PageTokens(await database.token_secret(), f"WatchBudget:{namespace.id}")
    position = tokens.read(resume_token, "")
    if position is None:
        async with database.transaction(namespace.id) as conn:
            position = [await store.latest_event(conn, namespace.id)]
    after = int(position[0])
    yield None, tokens.issue("", [after])
    silent_s = 0.0
    while (left := remaining(_FOREVER_S)) > MARGIN_S and not stopping.is_set():
        async with database.transaction(namespace.id) as conn:
            events = await store.next_events(conn, namespace.id, after, BATCH)
        for event in events:
            after = event.id
            yield event, tokens.issue("", [after])
        if len(events) == BATCH:
            continue
        silent_s = 0.0 if events else silent_s + PAUSE_S
        if silent_s >= SILENCE_S:
            yield None, tokens.issue("", [after])
            silent_s = 0.0
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), min(PAUSE_S, max(left - MARGIN_S, 0.0)))

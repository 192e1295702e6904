"""Schedule the conversations whose messages nobody is going to sum up."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword_compactor.conversations import requests

#: Conversations in one transaction.
BATCH = 1_000


async def backfill_conversations(
    database: Database, namespace_id: int, dry_run: bool, limit: int | None
) -> int:
    """Schedule each conversation with messages under no leaf, those that were given up included; returns how many."""
    items, after = 0, UUID(int=0)
    while limit is None or items < limit:
        async with database.transaction(namespace_id) as conn:
            waiting, last = await requests.waiting_conversations(conn, namespace_id, after, BATCH)
            ids = [conversation.id for conversation in waiting if not conversation.scheduled]
            ids = ids[: None if limit is None else limit - items]
            if ids and not dry_run:
                await requests.schedule_conversations(conn, namespace_id, ids)
        items += len(ids)
        if last is None:
            break
        after = last
    return items

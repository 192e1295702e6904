"""Enqueue the sentences that are neither there nor pending."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword_compactor.tool_sentences import requests

#: Messages in one transaction.
BATCH = 5_000


async def backfill_tool_sentences(
    database: Database, namespace_id: int, dry_run: bool, limit: int | None, with_model: bool
) -> int:
    """Enqueue a sentence of every tool call without words; returns how many.

    Those are calls that have none, that were given up, whose sentence is of an older prompt, and `with_model` those
    whose sentence is of the template.
    """
    schedule = requests.count_missing_sentences if dry_run else requests.enqueue_sentences
    items, after = 0, UUID(int=0)
    while limit is None or items < limit:
        async with database.transaction(namespace_id) as conn:
            last = await requests.last_message(conn, namespace_id, after, BATCH)
            if last is None:
                break
            left = None if limit is None else limit - items
            span = requests.Span(after, last)
            items += await schedule(conn, namespace_id, span, with_model, left)
        after = last
    if not dry_run:
        # Also what an earlier call enqueued and did not come to schedule.
        async with database.transaction(namespace_id) as conn:
            await requests.schedule_sentences(conn, namespace_id)
    return items

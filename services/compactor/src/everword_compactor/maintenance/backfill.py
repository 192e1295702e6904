"""Schedule missing work: vectors, sentences of tool calls, and summaries."""

from __future__ import annotations

from enum import IntEnum
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.index.vectors import PassageSpan, count_missing_vectors, enqueue_missing_vectors
from everword_compactor.calendar.backfill_days import backfill_days
from everword_compactor.conversations import requests as conversations
from everword_compactor.maintenance import store
from everword_compactor.tool_sentences import requests as sentences

#: Passages in one transaction: it holds row locks that a worker's claims wait for.
PASSAGES = 5_000
#: Messages in one transaction.
MESSAGES = 5_000
#: Conversations in one transaction.
CONVERSATIONS = 1_000


class BackfillTarget(IntEnum):
    """The targets of a backfill. Values equal proto `BackfillTarget`."""

    EMBEDDINGS = 1
    TOOL_SENTENCES = 2
    SUMMARIES = 3


async def backfill(
    database: Database,
    namespace: NamespaceScope,
    target: BackfillTarget,
    dry_run: bool,
    limit: int | None = None,
    with_model: bool = False,
) -> int:
    """Schedule the items of `target`, at most `limit`, and return their number. A dry run only counts.

    `with_model` is True if workers have a language model; then sentences made without one are made again. A repeated
    call finds nothing to do. A call that ends early has done a part, and the next one continues.
    """
    match target:
        case BackfillTarget.EMBEDDINGS:
            return await backfill_embeddings(database, namespace.id, dry_run, limit)
        case BackfillTarget.TOOL_SENTENCES:
            return await backfill_tool_sentences(database, namespace.id, dry_run, limit, with_model)
        case BackfillTarget.SUMMARIES:
            items = await backfill_conversations(database, namespace.id, dry_run, limit)
            available = None if limit is None else limit - items
            return items + len(await backfill_days(database, namespace.id, dry_run, available))


async def backfill_embeddings(
    database: Database, namespace_id: int, dry_run: bool, limit: int | None
) -> int:
    """Make vectors of each live model generation due where passages have none; returns how many."""
    async with database.connection() as conn:
        generations = await store.live_generations(conn)
    enqueue = count_missing_vectors if dry_run else enqueue_missing_vectors
    items, after = 0, 0
    while True:
        async with database.transaction(namespace_id) as conn:
            last = await store.last_passage(conn, namespace_id, after, PASSAGES)
            if last is None:
                return items
            for generation_id in generations:
                left = None if limit is None else limit - items
                span = PassageSpan(namespace_id, generation_id, after, last)
                items += await enqueue(conn, span, left)
        if limit is not None and items >= limit:
            return items
        after = last


async def backfill_tool_sentences(
    database: Database, namespace_id: int, dry_run: bool, limit: int | None, with_model: bool
) -> int:
    """Enqueue a sentence for every tool call without words; returns the number.

    These are calls without a sentence, parked ones, ones with a sentence of an older prompt, and `with_model` those
    with a sentence of the template.
    """
    items, after = 0, UUID(int=0)
    while limit is None or items < limit:
        async with database.transaction(namespace_id) as conn:
            last = await sentences.last_message(conn, namespace_id, after, MESSAGES)
            if last is None:
                break
            left = None if limit is None else limit - items
            span = sentences.MessageRange(after, last)
            missing = await sentences.find_missing_sentences(
                conn, namespace_id, span, with_model, left
            )
            if missing and not dry_run:
                missing = await sentences.enqueue_sentences(conn, namespace_id, missing)
        items += len(missing)
        after = last
    if not dry_run:
        # Also what an earlier call enqueued and did not come to schedule.
        async with database.transaction(namespace_id) as conn:
            await sentences.schedule_sentences(conn, namespace_id)
    return items


async def backfill_conversations(
    database: Database, namespace_id: int, dry_run: bool, limit: int | None
) -> int:
    """Schedule each conversation with messages under no leaf, parked ones included; returns the number."""
    items, after = 0, UUID(int=0)
    while limit is None or items < limit:
        async with database.transaction(namespace_id) as conn:
            waiting, last = await conversations.waiting_conversations(
                conn, namespace_id, after, CONVERSATIONS
            )
            ids = [conversation.id for conversation in waiting if not conversation.scheduled]
            ids = ids[: None if limit is None else limit - items]
            if ids and not dry_run:
                await conversations.schedule_conversations(conn, namespace_id, ids)
        items += len(ids)
        if last is None:
            break
        after = last
    return items

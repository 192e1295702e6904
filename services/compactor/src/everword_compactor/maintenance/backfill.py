"""Schedule work that nobody scheduled."""

from __future__ import annotations

from enum import IntEnum

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_compactor.calendar.backfill_days import backfill_days
from everword_compactor.maintenance.backfill_conversations import backfill_conversations
from everword_compactor.maintenance.backfill_embeddings import backfill_embeddings
from everword_compactor.maintenance.backfill_tool_sentences import backfill_tool_sentences


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
    """Schedule what `target` names, at most `limit` items, and return how much there was. A dry run only counts.

    `with_model` says that workers have a language model, before which what was made without one gives way.
    Calling it again finds nothing to do. A call that ends early has done a part, and the next one goes on.
    """
    match target:
        case BackfillTarget.EMBEDDINGS:
            return await backfill_embeddings(database, namespace.id, dry_run, limit)
        case BackfillTarget.TOOL_SENTENCES:
            return await backfill_tool_sentences(database, namespace.id, dry_run, limit, with_model)
        case BackfillTarget.SUMMARIES:
            items = await backfill_conversations(database, namespace.id, dry_run, limit)
            room = None if limit is None else limit - items
            return items + len(await backfill_days(database, namespace.id, dry_run, room))

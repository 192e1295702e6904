"""Return the way summaries are made, and their backlog."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_compactor.audits import store
from everword_compactor.audits.model import CompactionMode, CompactionStatus, LevelStatus
from everword_compactor.audits.store import CountRow
from everword_compactor.compose.model import EXTRACTIVE

#: Counting stops here.
COUNT_LIMIT = 100_000


async def get_compaction_status(
    database: Database, namespace: NamespaceScope, model: str
) -> CompactionStatus:
    """Return how the namespace's summaries stand; `model` is what writes them now."""
    async with database.transaction(namespace.id) as conn:
        counts = await store.count_summaries(conn, namespace.id, COUNT_LIMIT)
        pending = await store.count_pending(conn, namespace.id, COUNT_LIMIT)
        usage = await store.sum_usage(conn, namespace.id)
    mode = CompactionMode.EXTRACTIVE if model == EXTRACTIVE else CompactionMode.MODEL
    return CompactionStatus(mode, model, _levels(counts), pending, usage)


def _levels(counts: Sequence[CountRow]) -> list[LevelStatus]:
    levels = []
    for level, of_level in groupby(counts, key=lambda row: row.level):
        rows = list(of_level)
        levels.append(
            LevelStatus(
                level,
                sum(row.summaries for row in rows),
                sum(row.stale for row in rows),
                sum(row.needs_review for row in rows),
                {row.model: row.summaries for row in rows},
            )
        )
    return levels

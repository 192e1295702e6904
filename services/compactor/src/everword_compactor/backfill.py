"""Schedule work that nobody scheduled."""

from __future__ import annotations

from enum import IntEnum

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_compactor import store

#: Passages in one transaction: it holds row locks that a worker's claims wait for.
BATCH = 5_000


class BackfillTarget(IntEnum):
    """What can be backfilled. Values equal proto `BackfillTarget`."""

    EMBEDDINGS = 1


async def backfill(
    database: Database, namespace: NamespaceScope, target: BackfillTarget, dry_run: bool
) -> int:
    """Schedule what `target` names and return how much there was. A dry run only counts.

    Calling it again finds nothing to do. A call that ends early has done a part, and the next one goes on.
    """
    match target:
        case BackfillTarget.EMBEDDINGS:
            return await _backfill_embeddings(database, namespace.id, dry_run)


async def _backfill_embeddings(database: Database, namespace_id: int, dry_run: bool) -> int:
    """Make every passage without a vector owe one to each live model generation."""
    async with database.connection() as conn:
        generations = await store.live_generations(conn)
    schedule = store.count_unowed_vectors if dry_run else store.owe_vectors
    items, after = 0, 0
    while True:
        async with database.transaction(namespace_id) as conn:
            last = await store.last_passage(conn, namespace_id, after, BATCH)
            if last is None:
                return items
            for generation_id in generations:
                items += await schedule(conn, namespace_id, generation_id, after, last)
        after = last

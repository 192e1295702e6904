"""Owe the vectors that nobody owes."""

from __future__ import annotations

from everword.db.pool import Database
from everword_compactor.maintenance import store

#: Passages in one transaction: it holds row locks that a worker's claims wait for.
BATCH = 5_000


async def backfill_embeddings(
    database: Database, namespace_id: int, dry_run: bool, limit: int | None
) -> int:
    """Make every passage without a vector owe one to each live model generation; returns how many vectors."""
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
                left = None if limit is None else limit - items
                items += await schedule(conn, namespace_id, generation_id, after, last, left)
        if limit is not None and items >= limit:
            return items
        after = last

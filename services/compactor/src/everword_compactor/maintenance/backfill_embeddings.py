"""Make the vectors due that are neither there nor due."""

from __future__ import annotations

from everword.db.pool import Database
from everword.index.vectors import PassageSpan, count_missing_vectors, enqueue_missing_vectors
from everword_compactor.maintenance import store

#: Passages in one transaction: it holds row locks that a worker's claims wait for.
BATCH = 5_000


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
            last = await store.last_passage(conn, namespace_id, after, BATCH)
            if last is None:
                return items
            for generation_id in generations:
                left = None if limit is None else limit - items
                span = PassageSpan(namespace_id, generation_id, after, last)
                items += await enqueue(conn, span, left)
        if limit is not None and items >= limit:
            return items
        after = last

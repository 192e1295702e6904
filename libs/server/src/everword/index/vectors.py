"""Enqueue vectors for passages without one, a batch of a backfill at a time."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from everword.db.pool import Connection
from everword.db.statements import fetch_values, load_statements

SQL = load_statements("everword.index")


@dataclass(frozen=True)
class PassageSpan:
    """Passages of a namespace, by their ids, and the generation whose vectors they may lack."""

    namespace_id: int
    generation_id: int
    #: Not itself.
    after: int
    last: int


async def count_missing_vectors(
    conn: Connection, span: PassageSpan, limit: int | None = None
) -> int:
    """Return how many vectors `enqueue_missing_vectors` would make due."""
    return len(await _find_missing(conn, span, limit))


async def enqueue_missing_vectors(
    conn: Connection, span: PassageSpan, limit: int | None = None
) -> int:
    """Make up to `limit` vectors due that are neither there nor due; returns how many. The embedder looks for them."""
    missing = await _find_missing(conn, span, limit)
    if not missing:
        return 0
    parameters = {
        "namespace_id": span.namespace_id,
        "generation_id": span.generation_id,
        "memory_ids": missing,
    }
    return len(await fetch_values(conn, SQL["enqueue_missing_vectors"], parameters))


async def _find_missing(conn: Connection, span: PassageSpan, limit: int | None) -> list[int]:
    return await fetch_values(conn, SQL["find_missing_vectors"], {**asdict(span), "limit": limit})

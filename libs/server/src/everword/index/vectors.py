"""Enqueue vectors for passages without one, a batch of a backfill at a time."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.pool import Connection
from everword.db.statements import fetch_value, load_statements

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
    return await _of_span(conn, "count_missing_vectors", span, limit)


async def enqueue_missing_vectors(
    conn: Connection, span: PassageSpan, limit: int | None = None
) -> int:
    """Make up to `limit` vectors due that are neither there nor due; returns how many. The embedder looks for them."""
    return await _of_span(conn, "enqueue_missing_vectors", span, limit)


async def _of_span(conn: Connection, name: str, span: PassageSpan, limit: int | None) -> int:
    statement = SQL[name].of_generation(span.generation_id)
    parameters = {
        "namespace_id": span.namespace_id,
        "generation_id": span.generation_id,
        "after": span.after,
        "last": span.last,
        "limit": limit,
    }
    return int(await fetch_value(conn, statement, parameters))

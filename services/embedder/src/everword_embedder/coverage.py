"""Say how many vectors of a model generation are pending."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.pool import Database
from everword.domain.errors import EmbedderUnavailable, InvalidArgument
from everword_embedder import store

#: Counting stops here: beyond it, the exact length of the backlog does not matter.
COUNT_CAP = 100_000


@dataclass(frozen=True)
class Coverage:
    """Pending and parked passages of a model generation, each counted up to the cap."""

    generation_id: int
    pending: int
    failed: int


async def get_coverage(database: Database, generation_id: int) -> Coverage:
    """Return the pending work of a generation over all namespaces; 0 is the active generation.

    Raises InvalidArgument for a generation that does not exist, and EmbedderUnavailable if none is active.
    """
    async with database.connection() as conn:
        generation = await store.read_generation(conn, generation_id)
        if generation is None and generation_id:
            raise InvalidArgument(
                violations=(("generation_id", "there is no such model generation"),)
            )
        if generation is None:
            raise EmbedderUnavailable("No model generation is active.")
        counted = await store.count_pending(conn, generation.id, COUNT_CAP)
    return Coverage(generation.id, counted.pending, counted.failed)

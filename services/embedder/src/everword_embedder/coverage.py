"""Say how many vectors of a model generation are owed."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.errors import EmbedderUnavailable
from everword_embedder import store
from everword_embedder.store import CoverageRow

#: Counting stops here: whoever asks wants to know whether the backlog is long, not its last digit.
COUNT_CAP = 100_000


async def coverage(database: Database, generation_id: int) -> CoverageRow:
    """Return what is owed to a generation over all namespaces; 0 asks for the active one.

    Raises EmbedderUnavailable where there is no such generation.
    """
    async with database.connection() as conn:
        found = await store.count_owed(conn, generation_id, COUNT_CAP)
    if found is None:
        raise EmbedderUnavailable(
            "There is no such model generation.", generation_id=generation_id
        )
    return found

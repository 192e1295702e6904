"""Say how many vectors of a model generation are pending."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.errors import EmbedderUnavailable, InvalidArgument
from everword_embedder import store
from everword_embedder.store import CoverageRow

#: Counting stops here: beyond it, the exact length of the backlog does not matter.
COUNT_CAP = 100_000


async def get_coverage(database: Database, generation_id: int) -> CoverageRow:
    """Return the pending work of a generation over all namespaces; 0 is the active generation.

    Raises InvalidArgument for a generation that does not exist, and EmbedderUnavailable if none is active.
    """
    async with database.connection() as conn:
        found = await store.count_pending(conn, generation_id, COUNT_CAP)
    if found is None and generation_id:
        raise InvalidArgument(violations=(("generation_id", "there is no such model generation"),))
    if found is None:
        raise EmbedderUnavailable("No model generation is active.")
    return found

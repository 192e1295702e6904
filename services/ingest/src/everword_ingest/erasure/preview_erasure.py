"""Say what an erasure would take."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_ingest.erasure import store
from everword_ingest.erasure.erase import against_writers, check_target
from everword_ingest.erasure.model import Preview, Target


async def preview_erasure(database: Database, namespace: NamespaceScope, target: Target) -> Preview:
    """Do what an erasure does, and undo it: nothing changes. Raises NotFound where there is no such target."""

    async def look() -> Preview:
        async with database.transaction(namespace.id) as conn:
            await check_target(conn, namespace.id, target)
            found = await store.preview_erasure(conn, target)
        counts = {name: int(rows) for name, rows in found["counts"].items()}
        return Preview(
            counts=counts,
            summaries_withdrawn=counts.get("summaries_withdrawn", 0) + counts.get("summaries", 0),
            facts_gone=counts.get("facts", 0),
            facts_losing_evidence=int(found["facts_losing_evidence"]),
            sample_ids=[UUID(each) for each in found["sample_ids"]],
        )

    return await against_writers(look)

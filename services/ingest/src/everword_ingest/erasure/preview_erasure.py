"""Return what an erasure would delete."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_ingest.erasure import store
from everword_ingest.erasure.erase import resolve_target
from everword_ingest.erasure.model import ErasurePreview, ErasureTarget

#: Minimum trigram similarity of a suggested name (pg_trgm's default threshold), and the maximum number of names.
LEAST_SIMILARITY, SIMILAR_NAMES = 0.3, 3


async def preview_erasure(
    database: Database, namespace: NamespaceScope, target: ErasureTarget
) -> ErasurePreview:
    """Count the rows that an erasure would delete, in one snapshot, without locks. Raises NotFound and OnLegalHold."""
    async with database.snapshot(namespace.id) as conn:
        resolved = await resolve_target(conn, namespace.id, target)
        found = await store.preview_erasure(conn, namespace.id, resolved)
        counts = {name: int(rows) for name, rows in found["counts"].items()}
        similar = list[str]()
        if resolved.name and not counts:
            similar = await store.similar_names(
                conn, namespace.id, resolved, LEAST_SIMILARITY, SIMILAR_NAMES
            )
    return ErasurePreview(
        kind=resolved.kind,
        similar_names=similar,
        counts=counts,
        summaries_withdrawn=counts.get("summaries_withdrawn", 0) + counts.get("summaries", 0),
        facts_gone=counts.get("facts", 0),
        facts_losing_evidence=int(found["facts_losing_evidence"]),
        sample_ids=[UUID(each) for each in found["sample_ids"]],
    )

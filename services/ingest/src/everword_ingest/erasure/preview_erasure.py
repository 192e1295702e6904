"""Say what an erasure would take."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_ingest.erasure import store
from everword_ingest.erasure.erase import check_target
from everword_ingest.erasure.model import Preview, Target


async def preview_erasure(database: Database, namespace: NamespaceScope, target: Target) -> Preview:
    """Count what would go; nothing changes. Raises NotFound where there is no such target."""
    async with database.transaction(namespace.id) as conn:
        await check_target(conn, namespace.id, target)
        found = await store.preview_erasure(conn, target)
    return Preview(
        summaries_withdrawn=int(found.pop("summaries", 0)),
        facts_gone=int(found.pop("facts_gone")),
        facts_losing_evidence=int(found.pop("facts_losing_evidence")),
        sample_ids=[UUID(each) for each in found.pop("sample_ids")],
        counts={name: int(rows) for name, rows in found.items() if rows},
    )

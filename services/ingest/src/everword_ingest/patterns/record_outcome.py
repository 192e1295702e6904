"""Record whether a pattern that was used was right."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.ids import new_id
from everword.domain.not_found import PatternNotFound
from everword_ingest.patterns import store
from everword_ingest.patterns.model import OutcomeReport, PatternWriteResult
from everword_ingest.patterns.record_pattern import counted
from everword_ingest.patterns.store import NewOutcome
from everword_ingest.request_ids.claims import claim_request


async def record_outcome(
    database: Database,
    namespace: NamespaceScope,
    report: OutcomeReport,
    request_id: str,
    body_hash: bytes,
) -> PatternWriteResult:
    """Count an outcome, or find that an equal call did. Raises PatternNotFound and RequestIdConflict."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(conn, namespace.id, request_id, body_hash)
        pattern = await store.get_pattern(conn, namespace.id, report.pattern_id)
        if pattern is None:
            raise PatternNotFound(pattern_id=report.pattern_id)
        if earlier is not None:
            return PatternWriteResult(pattern, replayed=True)
        now = await store.lock_patterns(conn, namespace.id, pattern.entity_key, pattern.type)
        # Another write may have counted, or an erasure deleted the pattern, before the lock was held.
        held = await store.get_pattern(conn, namespace.id, report.pattern_id)
        if held is None:
            raise PatternNotFound(pattern_id=report.pattern_id)
        pattern = counted(held, report.agreed, now)
        outcome = NewOutcome(new_id(), pattern.id, report.agreed)
        await store.insert_outcomes(
            conn, namespace.id, now, [outcome], report.reason, recorded=False
        )
        await store.update_patterns(conn, namespace.id, [pattern])
    return PatternWriteResult(pattern)

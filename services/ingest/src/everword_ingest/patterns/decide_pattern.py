"""Decide whether a pattern may be used without asking, keep the decision, and set what that needs."""

from __future__ import annotations

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.ids import new_id
from everword_ingest.patterns import store
from everword_ingest.patterns.confidence import DEFAULT_THRESHOLD
from everword_ingest.patterns.model import ThresholdDecision, ThresholdSource, entity_key
from everword_ingest.patterns.store import DecisionRow


async def decide_pattern(
    database: Database, namespace: NamespaceScope, entity: str, type_: str, asked: float | None
) -> ThresholdDecision:
    """Return whether the most trusted pattern may be used without asking. A decision about a pattern is stored.

    `asked` is the required confidence; None for the threshold of the type.
    """
    async with database.write(namespace.id) as write:
        conn = write.conn
        found = await store.find_patterns(conn, namespace.id, entity_key(entity), type_, 1)
        threshold, source = await _threshold(conn, namespace.id, type_, asked)
        if not found:
            return ThresholdDecision(threshold, source)
        [pattern] = found
        decision = DecisionRow(
            new_id(),
            pattern.id,
            pattern.occurrences > 0 and pattern.confidence >= threshold,
            pattern.confidence,
            threshold,
            source,
            pattern.occurrences,
            pattern.disagreements,
            await store.moment(conn),
        )
        await store.insert_decision(conn, namespace.id, decision)
    return ThresholdDecision(threshold, source, decision, pattern)


async def set_pattern_threshold(
    database: Database, namespace: NamespaceScope, type_: str, threshold: float
) -> float | None:
    """Set the confidence that patterns of a type need; return the previous one."""
    async with database.write(namespace.id) as write:
        previous = await store.get_threshold(write.conn, namespace.id, type_)
        await store.set_threshold(write.conn, namespace.id, type_, threshold)
    return previous


async def _threshold(
    conn: Connection, namespace_id: int, type_: str, asked: float | None
) -> tuple[float, ThresholdSource]:
    if asked is not None:
        return asked, ThresholdSource.REQUEST
    own = await store.get_threshold(conn, namespace_id, type_)
    if own is not None:
        return own, ThresholdSource.TYPE
    return DEFAULT_THRESHOLD, ThresholdSource.DEFAULT

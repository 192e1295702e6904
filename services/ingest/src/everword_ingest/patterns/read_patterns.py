"""Read patterns: one, a list, and what one rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import PatternNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.patterns import store
from everword_ingest.patterns.confidence import DEFAULT_THRESHOLD
from everword_ingest.patterns.model import PatternExplanation, PatternFilter
from everword_ingest.patterns.store import PatternRow

#: Outcomes and decisions of a pattern.
MOST = 1_000


async def list_patterns(
    database: Database,
    namespace: NamespaceScope,
    wanted: PatternFilter,
    page: PageRequest,
) -> tuple[Sequence[PatternRow], str]:
    """Return a page of patterns, most trusted first, and the token of the next one. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListPatterns", page)
    after = (float(cursor.after[0]), UUID(cursor.after[1])) if cursor.after else None
    async with database.transaction(namespace.id) as conn:
        found = await store.list_patterns(conn, namespace.id, asdict(wanted), after, cursor.limit)
    return cursor.cut(found, lambda last: [last.confidence, str(last.id)])


async def explain_pattern(
    database: Database, namespace: NamespaceScope, pattern_id: UUID
) -> PatternExplanation:
    """Return a pattern with its outcomes and decisions. Raises PatternNotFound."""
    async with database.transaction(namespace.id) as conn:
        pattern = await _get(conn, namespace.id, pattern_id)
        outcomes = await store.list_outcomes(conn, namespace.id, pattern_id, MOST)
        decisions = await store.list_decisions(conn, namespace.id, pattern_id, MOST)
        own = await store.get_threshold(conn, namespace.id, pattern.type)
    return PatternExplanation(
        pattern, outcomes, decisions, DEFAULT_THRESHOLD if own is None else own
    )


async def _get(conn: Connection, namespace_id: int, pattern_id: UUID) -> PatternRow:
    pattern = await store.get_pattern(conn, namespace_id, pattern_id)
    if pattern is None:
        raise PatternNotFound(pattern_id=pattern_id)
    return pattern

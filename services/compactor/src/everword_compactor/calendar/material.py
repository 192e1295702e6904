"""The sources of a calendar node: messages of a day, or the nodes within a longer period."""

from __future__ import annotations

from everword.db.blocking import Connection
from everword.domain.periods import Period, PeriodLevel
from everword_compactor.calendar import store
from everword_compactor.calendar.model import PeriodMaterial
from everword_compactor.nodes.store import MessageSource, read_source_messages


def read_material(
    conn: Connection, namespace_id: int, period: Period, instance: str
) -> PeriodMaterial:
    """Read the sources for the node of a period and an instance."""
    nodes = store.read_period(conn, namespace_id, period)
    node = next((node for node in nodes if node.instance == instance), None)
    pending_ids = store.pending_rows(conn, namespace_id, period, instance)
    if period.level != PeriodLevel.DAY:
        parts = [part.source for part in store.read_parts(conn, namespace_id, period)]
        ids = [part.id for part in parts]
        unsupported = store.read_unsupported(conn, namespace_id, ids)
        return PeriodMaterial(node, parts, pending_ids, bool(pending_ids), unsupported)
    known: list[MessageSource] = []
    if node:
        known = read_source_messages(conn, namespace_id, node.id)
    pending = store.read_pending_messages(
        conn, namespace_id, pending_ids, node.id if node else None
    )
    messages = {message.id: message for message in [*known, *pending]}
    ordered = sorted(messages.values(), key=_when)
    sources = [message.source for message in ordered]
    said = [source for source in sources if source.text.strip()]
    return PeriodMaterial(node, said, pending_ids, len(said) > len(known))


def _when(message: MessageSource) -> tuple[object, ...]:
    return message.occurred_at, message.conversation_id, message.seq

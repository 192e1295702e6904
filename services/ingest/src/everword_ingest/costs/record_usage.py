"""Record calls of models that agents made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword.costs.store import insert_usage
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.ids import new_id
from everword.domain.not_found import ConversationNotFound
from everword.telemetry import names
from everword.telemetry.tracing import counter
from everword_ingest.costs import store
from everword_ingest.costs.model import UsageReport
from everword_ingest.costs.store import BudgetEventRow, RecordedRow
from everword_ingest.request_ids.claims import claim_request


@dataclass(frozen=True)
class RecordedUsage:
    """The recorded calls, and the budget thresholds that they reached."""

    calls: Sequence[RecordedRow]
    events: Sequence[BudgetEventRow]
    replayed: bool


async def record_usage(
    database: Database, namespace: NamespaceScope, reporting: UsageReport
) -> RecordedUsage:
    """Add calls to the ledger, or return the result of an earlier identical request.

    Raises RequestIdConflict and ConversationNotFound.
    """
    batch_id = new_id()
    async with database.transaction(namespace.id) as conn:
        earlier = await claim_request(
            conn,
            namespace.id,
            reporting.request_id,
            reporting.body_hash,
            message_ids=[batch_id],
        )
        if earlier is None:
            await _check_conversations(conn, namespace.id, reporting)
            # The last write, because it locks the sums of the budgets until the commit.
            await insert_usage(conn, reporting.calls, batch_id)
        else:
            [batch_id] = earlier.message_ids
        calls = await store.list_recorded(conn, namespace.id, batch_id)
        events = await store.list_events(conn, namespace.id, batch_id)
    if earlier is None:
        for event in events:
            kind = "exceeded" if event.exceeded else "warning"
            counter(names.BUDGET_EVENTS, "{event}").add(1, {names.BUDGET_EVENT: kind})
    return RecordedUsage(calls, events, earlier is not None)


async def _check_conversations(conn: Connection, namespace_id: int, reporting: UsageReport) -> None:
    ids = {call.conversation_id for call in reporting.calls if call.conversation_id}
    if ids and await store.count_conversations(conn, namespace_id, sorted(ids)) < len(ids):
        raise ConversationNotFound(conversation_id=", ".join(map(str, sorted(ids))))

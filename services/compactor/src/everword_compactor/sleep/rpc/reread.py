"""Read sessions again that were read by another model, or by rules alone: the estimate and the request."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ChatNotConfigured
from everword_compactor.sleep.rpc import requests
from everword_compactor.sleep.rpc.requests import CallCost, SleepScope, UnreadCounts

#: Tokens that a model reads and writes for each token of a session with short messages. The first is measured
#: (docs/sleep.md), the second an estimate.
READ_PER_TOKEN, WRITTEN_PER_TOKEN = 12.4, 0.6
#: Sessions that are marked in one transaction.
_BATCH = 1_000


@dataclass(frozen=True)
class RereadingEstimate:
    """The amount and cost of sessions to read again."""

    model: str
    counts: UnreadCounts
    input_tokens: int
    output_tokens: int
    #: None if the model has no price.
    cost: CallCost | None


async def estimate_rereading(
    database: Database, namespace: NamespaceScope, scope: SleepScope, model: str
) -> RereadingEstimate:
    """Return the cost of reading the sessions that `model` has not read. Raises ChatNotConfigured."""
    _ensure_model(model)
    async with database.transaction(namespace.id) as conn:
        counts = await requests.count_unread(conn, namespace.id, scope, model)
        read = round(counts.tokens * READ_PER_TOKEN)
        written = round(counts.tokens * WRITTEN_PER_TOKEN)
        cost = await requests.price_rereading(conn, model, read, written)
    return RereadingEstimate(model, counts, read, written, cost)


async def request_rereading(
    database: Database, namespace: NamespaceScope, scope: SleepScope, model: str
) -> None:
    """Mark the sessions that `model` has not read, so that Sleep reads them again. Raises ChatNotConfigured."""
    _ensure_model(model)
    marked = _BATCH
    while marked == _BATCH:
        async with database.transaction(namespace.id) as conn:
            marked = await requests.request_rereading(conn, namespace.id, scope, model, _BATCH)


def _ensure_model(model: str) -> None:
    if not model:
        raise ChatNotConfigured(setting="EVERWORD_CHAT_URL")

"""A step of a run: the next batch to remove, in one transaction.

A run goes from kind to kind. If a policy limits the number per run, it also goes from the least important memories of a
kind to the most important ones. Its progress is in its row, which a step locks: committed work is never repeated, and
uncommitted work is done by the next step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword_ingest.erasure.removal import BATCH, retire
from everword_ingest.retention import store
from everword_ingest.retention.model import HeldData, Policy, RetentionKind, RetentionProgressRow

#: Expired conversations that a step reads, if they are removed as a whole.
CONVERSATIONS = 50
#: Old messages that a step reads. Most of them may be kept, for example because they are pinned.
MESSAGES = 500


@dataclass(frozen=True)
class _Page:
    """Memories to remove."""

    ids: list[UUID]
    #: The last item read, to continue after; None at the end of the kind and importances.
    last: UUID | None
    #: Its time, for messages that go by their own age.
    last_time: datetime | None = None


async def remove_batch(conn: Connection, namespace_id: int, run_id: UUID) -> bool:
    """Remove the next batch; return whether the run is done, or another process works on it."""
    place = await store.lock_run(conn, namespace_id, run_id)
    if place is None:
        return True
    await store.lock_job_starts(conn, namespace_id)
    # Read after the lock, which the creation of a hold takes as well.
    held = await store.list_held(conn, namespace_id)
    if held.everything:
        await store.finish_run(conn, namespace_id, run_id)
        return True
    policies = {policy.kind: policy for policy in await store.list_policies(conn, namespace_id)}
    while place.kind <= max(RetentionKind):
        policy = policies.get(place.kind)
        limit = _limit(place, policy)
        if policy is None or not limit:
            place = _from(place, kind=place.kind + 1, importance=1)
            continue
        # The order by importance matters only if some of the expired memories stay.
        highest = place.importance if policy.max_per_run else policy.highest
        page = await _next_page(conn, namespace_id, place, policy, highest, held, limit)
        if page.last is None:
            after = _from(place, kind=place.kind, importance=highest + 1)
        else:
            after = replace(place, after_time=page.last_time, after_id=page.last)
        if page.ids or page.last is not None:
            counts = await retire(conn, namespace_id, place.kind, page.ids, policy.keep_quotes)
            name = str(place.kind)
            removed = {**place.removed, name: place.removed.get(name, 0) + len(page.ids)}
            await store.advance_run(conn, namespace_id, replace(after, removed=removed), counts)
            return False
        place = after
    await store.finish_run(conn, namespace_id, run_id)
    return True


def _from(place: RetentionProgressRow, kind: int, importance: int) -> RetentionProgressRow:
    """Return the progress at the beginning of a kind or an importance."""
    return replace(place, kind=kind, importance=importance, after_time=None, after_id=None)


def _limit(place: RetentionProgressRow, policy: Policy | None) -> int:
    """Return how many may go in this step; 0 if the kind is done."""
    if policy is None or place.importance > policy.highest:
        return 0
    return policy.left(BATCH, place.removed.get(str(place.kind), 0))


async def _next_page(
    conn: Connection,
    namespace_id: int,
    place: RetentionProgressRow,
    policy: Policy,
    highest: int,
    held: HeldData,
    limit: int,
) -> _Page:
    """Return the next memories to remove, from the importance of `place` to `highest`."""
    until = policy.until(place.started_at)
    if place.kind != RetentionKind.MESSAGES:
        ids = await store.page_retained(conn, namespace_id, place, highest, until, held, limit)
        return _Page(ids, ids[-1] if len(ids) == limit else None)
    if policy.whole_conversations:
        return await _conversation_messages(conn, namespace_id, place, until, highest, held, limit)
    rows = await store.page_messages(conn, namespace_id, place, highest, until, held, MESSAGES)
    expired = [row for row in rows if row.expired][:limit]
    ids = [row.id for row in expired]
    if len(expired) == limit:
        return _Page(ids, expired[-1].id, expired[-1].occurred_at)
    if len(rows) == MESSAGES:
        return _Page(ids, rows[-1].id, rows[-1].occurred_at)
    return _Page(ids, None)


async def _conversation_messages(
    conn: Connection,
    namespace_id: int,
    place: RetentionProgressRow,
    until: datetime,
    highest: int,
    held: HeldData,
    limit: int,
) -> _Page:
    """Lock the next expired conversations, and return their messages."""
    locked = await store.lock_expired_conversations(
        conn, namespace_id, place.after_id, until, CONVERSATIONS
    )
    ids = await store.page_conversation_messages(
        conn, namespace_id, locked, place.importance, highest, held, limit
    )
    if len(ids) == limit:
        return _Page(ids, place.after_id or UUID(int=0))
    return _Page(ids, locked[-1] if len(locked) == CONVERSATIONS else None)

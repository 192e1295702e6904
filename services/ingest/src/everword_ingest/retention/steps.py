"""A step of a run: the next batch to remove, in one transaction.

A run goes from kind to kind, and within each from the least important memories to the most important ones. Its progress
is in its row, which a step locks: committed work is never repeated, and uncommitted work is done by the next step.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword_ingest.erasure.removal import BATCH, retire
from everword_ingest.retention import store
from everword_ingest.retention.model import Policy, RetentionKind, RetentionProgressRow

#: Conversations that a step looks at.
CONVERSATIONS = 50


async def remove_batch(conn: Connection, namespace_id: int, run_id: UUID) -> bool:
    """Remove the next batch; return whether the run is done, or another process works on it."""
    place = await store.lock_run(conn, namespace_id, run_id)
    if place is None:
        return True
    await store.lock_job_starts(conn, namespace_id)
    policies = {policy.kind: policy for policy in await store.list_policies(conn, namespace_id)}
    while place.kind <= max(RetentionKind):
        policy = policies.get(place.kind)
        limit = _limit(place, policy)
        if policy is None or not limit:
            place = replace(place, kind=place.kind + 1, importance=1, after_id=None)
            continue
        until = policy.until(place.started_at)
        ids, last = await _next_ones(conn, namespace_id, place, until, limit)
        if last is None:
            after = replace(place, importance=place.importance + 1, after_id=None)
        else:
            after = replace(place, after_id=last)
        if ids or last is not None:
            counts = await retire(conn, namespace_id, place.kind, ids, policy.keep_quotes)
            name = str(place.kind)
            removed = {**place.removed, name: place.removed.get(name, 0) + len(ids)}
            await store.advance_run(conn, namespace_id, replace(after, removed=removed), counts)
            return False
        place = after
    await store.finish_run(conn, namespace_id, run_id)
    return True


def _limit(place: RetentionProgressRow, policy: Policy | None) -> int:
    """Return how many may go in this step; 0 where the kind is done."""
    if policy is None or place.importance > policy.highest:
        return 0
    return policy.left(BATCH, place.removed.get(str(place.kind), 0))


async def _next_ones(
    conn: Connection, namespace_id: int, place: RetentionProgressRow, until: datetime, limit: int
) -> tuple[list[UUID], UUID | None]:
    """Return the next ids to remove, and the id to continue after; None if no more have this importance."""
    if place.kind != RetentionKind.CONVERSATIONS:
        found = await store.page_retained(conn, namespace_id, place, until, limit)
        return found, found[-1] if len(found) == limit else None
    held = await store.lock_expired_conversations(
        conn, namespace_id, place.after_id, until, CONVERSATIONS
    )
    found = await store.page_messages(conn, namespace_id, held, place.importance, until, limit)
    if len(found) == limit:
        return found, place.after_id or UUID(int=0)
    return found, held[-1] if len(held) == CONVERSATIONS else None

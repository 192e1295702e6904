"""Helpers for retention, and for passing time."""

from __future__ import annotations

from typing import Any

from everword.v1 import erasure_service_pb2 as pb
from support.callers import Metadata
from support.earlier import earlier
from support.stack import Stack
from support.waits import until

#: Columns with the time of the last change, by table.
TIMES = {
    "conversations": ("last_message_at", "updated_at"),
    "messages": ("occurred_at",),
    "note_versions": ("written_at",),
    "document_versions": ("written_at",),
    "facts": ("last_seen_at",),
    "patterns": ("last_seen_at",),
    "fact_changes": ("changed_at",),
    "learned_changes": ("changed_at",),
    "pattern_decisions": ("decided_at",),
}


def age_rows(stack: Stack, days: int, namespace_id: int = 1) -> None:
    """Make everything in a namespace `days` days older."""
    with stack.database.connect() as conn:
        for table, columns in TIMES.items():
            older = ", ".join(f"{name} = {earlier(name, days * 86400)}" for name in columns)
            conn.execute(
                f"UPDATE {table} SET {older} WHERE namespace_id = %s".encode(),
                [namespace_id],
            )


async def keep(stack: Stack, kind: str, days: int, metadata: Metadata = (), **fields: Any) -> None:
    """Set the policy of a kind, such as `NOTES`; 0 days keeps it for ever."""
    policy = pb.RetentionPolicy(
        kind=pb.RetentionKind.Value(f"RETENTION_KIND_{kind}"), keep_days=days, **fields
    )
    request = pb.SetRetentionPolicyRequest(policy=policy)
    await stack.erasures.SetRetentionPolicy(request, metadata=metadata)


async def preview(stack: Stack, *policies: pb.RetentionPolicy) -> dict[str, int]:
    found = await stack.erasures.PreviewRetention(pb.PreviewRetentionRequest(policies=policies))
    return _counts(found.removed)


async def runs(stack: Stack, metadata: Metadata = ()) -> list[pb.RetentionRun]:
    request = pb.ListRetentionRunsRequest(page_size=100)
    return list((await stack.erasures.ListRetentionRuns(request, metadata=metadata)).runs)


async def run(stack: Stack) -> pb.RetentionRun:
    """Start a run now, and wait until it has ended."""
    begun = (await stack.erasures.RunRetention(pb.RunRetentionRequest())).run
    ended: list[pb.RetentionRun] = []

    async def done() -> bool:
        [found] = [each for each in await runs(stack) if each.id == begun.id]
        ended[:] = [found]
        return found.state == pb.RETENTION_STATE_DONE

    await until(done)
    return ended[0]


def removed(found: pb.RetentionRun) -> dict[str, int]:
    """Return the number of removed memories by kind."""
    return _counts(found.removed)


def _counts(counts: Any) -> dict[str, int]:
    name = pb.RetentionKind.Name
    return {
        name(each.kind).removeprefix("RETENTION_KIND_"): each.count for each in counts if each.count
    }

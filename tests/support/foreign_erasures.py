"""Calls of erasure RPCs with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everword.v1 import erasure_service_pb2 as pb
from support.callers import Metadata, within
from support.calls import append
from support.foreign import Call, Theirs
from support.stack import Stack
from support.waiting import until

_REASONS = {
    "message_id": "MESSAGE_NOT_FOUND",
    "conversation_id": "CONVERSATION_NOT_FOUND",
    "note_id": "NOTE_NOT_FOUND",
    "fact_id": "FACT_NOT_FOUND",
    "learned_id": "MEMORY_NOT_FOUND",
    "node_id": "NODE_NOT_FOUND",
    "pattern_id": "PATTERN_NOT_FOUND",
    "document_id": "DOCUMENT_NOT_FOUND",
    "memory_id": "MEMORY_NOT_FOUND",
}


@dataclass(frozen=True)
class TheirErasures:
    """Erasures of another namespace."""

    erasure_id: str
    page_tokens: dict[str, str]


async def erase_something(stack: Stack, namespace: str) -> TheirErasures:
    metadata = within(namespace)
    said = await append(stack, "One to go.", "Another.", session_key="erased", metadata=metadata)
    for each in said.messages:
        target = pb.ErasureTarget(message_id=each.message_id)
        erased = await stack.erasures.Erase(pb.EraseRequest(target=target), metadata=metadata)
    listed = await stack.erasures.ListErasures(
        pb.ListErasuresRequest(page_size=1), metadata=metadata
    )
    policy = pb.RetentionPolicy(kind=pb.RETENTION_KIND_NOTES, keep_days=36500)
    await stack.erasures.SetRetentionPolicy(
        pb.SetRetentionPolicyRequest(policy=policy), metadata=metadata
    )
    for _ in range(2):
        await stack.erasures.RunRetention(pb.RunRetentionRequest(), metadata=metadata)
        await until(lambda: _ran(stack, metadata))
    runs = await stack.erasures.ListRetentionRuns(
        pb.ListRetentionRunsRequest(page_size=1), metadata=metadata
    )
    tokens = {
        "ListErasures": listed.next_page_token,
        "ListRetentionRuns": runs.next_page_token,
    }
    return TheirErasures(erased.erasure.id, tokens)


async def _ran(stack: Stack, metadata: Metadata) -> bool:
    request = pb.ListRetentionRunsRequest()
    runs = (await stack.erasures.ListRetentionRuns(request, metadata=metadata)).runs
    return all(each.state == pb.RETENTION_STATE_DONE for each in runs)


def _id_of(theirs: Theirs, field: str) -> str:
    if field == "learned_id":
        return str(theirs.learned.person_id)
    return str(getattr(theirs, field, theirs.message_id))


def _erase(field: str) -> Call:
    return lambda s, t: s.erasures.Erase(
        pb.EraseRequest(target=pb.ErasureTarget(**{field: _id_of(t, field)}))
    )


def _preview(field: str) -> Call:
    return lambda s, t: s.erasures.PreviewErasure(
        pb.PreviewErasureRequest(target=pb.ErasureTarget(**{field: _id_of(t, field)}))
    )


ERASURES_REFUSED: dict[str, tuple[str, Call]] = {
    **{f"Erase target.{field}": (reason, _erase(field)) for field, reason in _REASONS.items()},
    **{
        f"PreviewErasure target.{field}": (reason, _preview(field))
        for field, reason in _REASONS.items()
    },
    "GetErasure erasure_id": (
        "ERASURE_NOT_FOUND",
        lambda s, t: s.erasures.GetErasure(pb.GetErasureRequest(erasure_id=t.erasure_id)),
    ),
    "ListErasures page_token": (
        "PAGE_TOKEN_INVALID",
        lambda s, t: s.erasures.ListErasures(
            pb.ListErasuresRequest(page_token=t.page_tokens["ListErasures"])
        ),
    ),
    "ListRetentionRuns page_token": (
        "PAGE_TOKEN_INVALID",
        lambda s, t: s.erasures.ListRetentionRuns(
            pb.ListRetentionRunsRequest(page_token=t.page_tokens["ListRetentionRuns"])
        ),
    ),
}
RETENTION_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "ListRetentionPolicies": (
        lambda s, t: s.erasures.ListRetentionPolicies(pb.ListRetentionPoliciesRequest()),
        lambda answer: not answer.policies,
    ),
    "PreviewRetention": (
        lambda s, t: s.erasures.PreviewRetention(pb.PreviewRetentionRequest()),
        lambda answer: not any(each.count for each in answer.removed),
    ),
}

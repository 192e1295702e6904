"""Retention requests to the model, and back."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword.rpc.translate import to_timestamp
from everword.v1 import erasure_service_pb2 as pb
from everword_ingest.retention.model import Count, LegalHold, Policy, RunRow


def to_policy(policy: pb.RetentionPolicy) -> Policy:
    return Policy(
        policy.kind,
        policy.keep_days,
        policy.keep_importance,
        policy.max_per_run,
        policy.keep_quotes,
        policy.whole_conversations,
    )


def to_policies(policies: Iterable[pb.RetentionPolicy]) -> list[Policy]:
    """Return one of each kind. Raises InvalidArgument for two."""
    found = [to_policy(policy) for policy in policies]
    if len({policy.kind for policy in found}) < len(found):
        raise InvalidArgument(violations=(("policies", "must be of different kinds"),))
    return found


def policy_to_proto(policy: Policy) -> pb.RetentionPolicy:
    return pb.RetentionPolicy(
        kind=pb.RetentionKind.ValueType(policy.kind),
        keep_days=policy.keep_days,
        keep_importance=policy.keep_importance,
        max_per_run=policy.max_per_run,
        keep_quotes=policy.keep_quotes,
        whole_conversations=policy.whole_conversations,
    )


def count_to_proto(count: Count) -> pb.RetentionCount:
    return pb.RetentionCount(
        kind=pb.RetentionKind.ValueType(count.kind),
        count=count.count,
        sample_ids=[str(id_) for id_ in count.sample_ids],
        pinned=count.pinned,
        on_hold=count.on_hold,
    )


def run_to_proto(run: RunRow) -> pb.RetentionRun:
    return pb.RetentionRun(
        id=str(run.id),
        state=pb.RetentionState.ValueType(run.state),
        night=run.night.isoformat() if run.night else "",
        removed=[
            count_to_proto(Count(int(kind), run.removed[kind], []))
            for kind in sorted(run.removed, key=int)
        ],
        row_counts=run.row_counts,
        start_time=to_timestamp(run.started_at),
        finish_time=to_timestamp(run.finished_at),
        error=run.error,
    )


def to_hold_scope(request: pb.CreateLegalHoldRequest) -> tuple[str | None, UUID | None]:
    """Return the subject and the conversation of a hold; at most one is set."""
    return (
        request.subject or None,
        UUID(request.conversation_id) if request.conversation_id else None,
    )


def hold_to_proto(hold: LegalHold) -> pb.LegalHold:
    translated = pb.LegalHold(
        id=str(hold.id), reason=hold.reason, create_time=to_timestamp(hold.created_at)
    )
    if hold.subject:
        translated.subject = hold.subject
    elif hold.conversation_id:
        translated.conversation_id = str(hold.conversation_id)
    return translated

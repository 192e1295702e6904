"""Requests about people from protos, and results to protos."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from everword.people.store import TrajectoryRow
from everword.people.views import ListScope
from everword.rpc.translate import to_timestamp
from everword.v1 import people_pb2 as pb
from everword_search.people.store import LearnedChangeRow, LearnedEvidenceRow, TraitRow


class _Listing(Protocol):
    @property
    def subjects(self) -> Sequence[str]: ...


def to_listed(request: _Listing, everything: bool) -> ListScope:
    return ListScope(list(request.subjects) or None, everything)


def evidence_to_proto(row: LearnedEvidenceRow) -> pb.LearnedEvidence:
    return pb.LearnedEvidence(
        aspect=row.aspect,
        value=row.value,
        message_id=str(row.message_id),
        conversation_id=str(row.conversation_id),
        quote=row.quote,
        said_time=to_timestamp(row.said_at),
    )


def change_to_proto(row: LearnedChangeRow) -> pb.LearnedChange:
    return pb.LearnedChange(
        change_time=to_timestamp(row.changed_at),
        actor=row.actor,
        action=row.action,
        reason=row.reason,
    )


def trait_to_proto(row: TraitRow, evidence: Sequence[LearnedEvidenceRow]) -> pb.UserTrait:
    return pb.UserTrait(
        id=str(row.id),
        dimension=row.dimension,
        value=row.value,
        held_from_time=to_timestamp(row.held_from),
        held_until_time=to_timestamp(row.held_until),
        supporting=row.supporting,
        evidence=[evidence_to_proto(each) for each in evidence if each.about_id == row.id],
    )


def trajectory_to_proto(row: TrajectoryRow) -> pb.Trajectory:
    return pb.Trajectory(
        id=str(row.id),
        subject=row.subject,
        version=row.version,
        phase=row.phase,
        direction=row.direction,
        stability=pb.Stability.ValueType(row.stability),
        anchors=row.anchors,
        volatile_areas=row.volatile_areas,
        momentum=row.momentum,
        predicted_shifts=row.predicted_shifts,
        summary=row.summary,
        sessions=row.sessions,
        model=row.model,
        create_time=to_timestamp(row.created_at),
    )

"""FactQueryService requests from protos, and results to protos."""

from __future__ import annotations

from collections.abc import Iterable

from everword.facts.attribute_names import canonical_attribute
from everword.facts.translate import fact_to_proto
from everword.rpc.translate import optional_time, to_timestamp
from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as pb
from everword_search.facts.model import AsOf, FactFilter, ProfileRequest
from everword_search.facts.read_facts import Dispute, Link
from everword_search.facts.store import FactChangeRow, QuotedEvidenceRow

DEFAULT_FACTS = 100


def to_profile_request(request: pb.GetProfileRequest) -> ProfileRequest:
    return ProfileRequest(
        request.subject,
        _as_of(request),
        list(request.categories) or None,
        _attributes(request.attributes),
        request.include_expired,
        request.max_facts or DEFAULT_FACTS,
        request.at_least_as_fresh,
    )


def to_fact_filter(request: pb.ListFactsRequest) -> FactFilter:
    return FactFilter(
        list(request.subjects) or None,
        _attributes(request.attributes),
        list(request.states) or None,
        _as_of(request),
        request.include_superseded,
    )


def evidence_to_proto(row: QuotedEvidenceRow) -> fact_pb2.Evidence:
    return fact_pb2.Evidence(
        message_id=str(row.message_id or ""),
        conversation_id=str(row.conversation_id or ""),
        quote=row.quote,
        contradicts=row.contradicts,
        source=fact_pb2.FactSource.ValueType(row.source),
        reason=row.reason,
        said_time=to_timestamp(row.said_at),
        untrusted=row.untrusted,
    )


def change_to_proto(row: FactChangeRow) -> fact_pb2.FactChange:
    return fact_pb2.FactChange(
        change_time=to_timestamp(row.changed_at),
        actor=row.actor,
        action=row.action,
        state=fact_pb2.FactState.ValueType(row.state),
        reason=row.reason,
        other_fact_id=str(row.other_fact_id or ""),
    )


def link_to_proto(link: Link) -> fact_pb2.FactLink:
    row = link.row
    return fact_pb2.FactLink(
        from_fact_id=str(row.from_fact_id),
        to_fact_id=str(row.to_fact_id),
        relation=fact_pb2.FactRelation.ValueType(row.relation),
        confidence=row.confidence,
        reason=row.reason,
        other=fact_to_proto(link.other),
        valid_from_time=to_timestamp(row.valid_from),
        valid_until_time=to_timestamp(row.valid_until),
    )


def dispute_to_proto(dispute: Dispute) -> fact_pb2.FactDispute:
    row = dispute.row
    return fact_pb2.FactDispute(
        old_fact_id=str(row.old_fact_id),
        new_fact_id=str(row.new_fact_id),
        open_time=to_timestamp(row.opened_at),
        settle_time=to_timestamp(row.settled_at),
        outcome=fact_pb2.DisputeOutcome.ValueType(row.outcome or 0),
        decided_by=row.decided_by or "",
        reason=row.reason,
        old_fact=fact_to_proto(dispute.old),
        new_fact=fact_to_proto(dispute.new),
    )


def _attributes(names: Iterable[str]) -> list[str] | None:
    """Return the attributes that a caller's names mean; None for all."""
    return sorted({canonical_attribute(each) for each in names}) or None


def _as_of(request: pb.GetProfileRequest | pb.ListFactsRequest) -> AsOf:
    return AsOf(
        optional_time(request, "valid_at_time", ""), optional_time(request, "known_at_time", "")
    )

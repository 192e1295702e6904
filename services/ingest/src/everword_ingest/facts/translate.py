"""Requests of FactService to the model."""

from __future__ import annotations

from uuid import UUID

from everword.facts.attribute_names import canonical_attribute, written_as
from everword.facts.model import FactSource, Key
from everword.facts.writer import ChangeReason
from everword.rpc.translate import optional_time
from everword.v1 import fact_pb2
from everword.v1 import fact_service_pb2 as pb
from everword_ingest.facts.model import NewFact, SuppliedEvidence

_ACTORS = {fact_pb2.FACT_ACTOR_PERSON: "person"}


def to_claim(request: pb.RememberRequest) -> NewFact:
    return NewFact(
        Key(request.subject, canonical_attribute(request.attribute)),
        request.value,
        category=request.category,
        source=FactSource(request.source or FactSource.AGENT),
        hypothesis=request.hypothesis,
        several=request.several_values if request.HasField("several_values") else None,
        since=optional_time(request, "valid_from_time", ""),
        until=optional_time(request, "valid_until_time", ""),
        lifetime_days=request.lifetime_days,
        evidence=[_to_evidence(each) for each in request.evidence],
        agent=request.agent,
        note=written_as(request.attribute),
    )


def to_audit(actor: fact_pb2.FactActor.ValueType, reason: str) -> ChangeReason:
    return ChangeReason(_ACTORS.get(actor, "agent"), reason)


def _to_evidence(evidence: fact_pb2.NewEvidence) -> SuppliedEvidence:
    return SuppliedEvidence(
        UUID(evidence.message_id) if evidence.message_id else None,
        evidence.quote,
        evidence.contradicts,
        evidence.reason,
    )

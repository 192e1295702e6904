"""Requests of PatternService to the model, and results back."""

from __future__ import annotations

from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword.rpc.translate import from_struct, to_struct, to_timestamp
from everword.v1 import pattern_service_pb2 as pb
from everword_ingest.patterns.confidence import explain
from everword_ingest.patterns.model import (
    EntityAction,
    OutcomeReport,
    PatternFilter,
    ThresholdDecision,
    ThresholdSource,
    entity_key,
)
from everword_ingest.patterns.store import DecisionRow, OutcomeRow, PatternRow

MAX_DATA_BYTES = 16 * 1024
_WHERE = {
    ThresholdSource.DEFAULT: "the default",
    ThresholdSource.TYPE: "set for the type",
    ThresholdSource.REQUEST: "asked for by the call",
}


def to_seen(request: pb.RecordPatternRequest) -> EntityAction:
    if not entity_key(request.entity):
        raise InvalidArgument(violations=(("entity", "is blank"),))
    if request.data.ByteSize() > MAX_DATA_BYTES:
        raise InvalidArgument(violations=(("data", f"is over {MAX_DATA_BYTES} bytes"),))
    return EntityAction(
        request.entity,
        request.type,
        request.category,
        from_struct(request.data, "data"),
        request.agent,
        request.reason,
    )


def to_outcome_report(request: pb.RecordOutcomeRequest) -> OutcomeReport:
    return OutcomeReport(UUID(request.pattern_id), request.agreed, request.reason)


def to_pattern_filter(request: pb.ListPatternsRequest) -> PatternFilter:
    return PatternFilter(
        entity_key(request.entity) or None, request.type or None, request.category or None
    )


def pattern_to_proto(row: PatternRow) -> pb.Pattern:
    return pb.Pattern(
        id=str(row.id),
        entity=row.entity,
        type=row.type,
        category=row.category,
        data=to_struct(row.data),
        occurrences=row.occurrences,
        disagreements=row.disagreements,
        confidence=row.confidence,
        agent=row.agent,
        create_time=to_timestamp(row.created_at),
        last_seen_time=to_timestamp(row.last_seen_at),
    )


def outcome_to_proto(row: OutcomeRow) -> pb.PatternOutcome:
    return pb.PatternOutcome(
        agreed=row.agreed,
        recorded=row.recorded,
        reason=row.reason,
        other_pattern_id=str(row.other_pattern_id or ""),
        outcome_time=to_timestamp(row.outcome_at),
    )


def decided_to_proto(decided: ThresholdDecision) -> pb.PatternDecision:
    if decided.decision:
        return decision_to_proto(decided.decision)
    return pb.PatternDecision(
        threshold=decided.threshold,
        threshold_source=pb.ThresholdSource.ValueType(decided.source),
        explanation=explain(False, 0.0, decided.threshold, 0, 0, _WHERE[decided.source]),
    )


def decision_to_proto(row: DecisionRow) -> pb.PatternDecision:
    return pb.PatternDecision(
        id=str(row.id),
        approved=row.approved,
        pattern_id=str(row.pattern_id),
        confidence=row.confidence,
        threshold=row.threshold,
        threshold_source=pb.ThresholdSource.ValueType(row.threshold_source),
        occurrences=row.occurrences,
        disagreements=row.disagreements,
        explanation=explain(
            row.approved,
            row.confidence,
            row.threshold,
            row.occurrences,
            row.disagreements,
            _WHERE[ThresholdSource(row.threshold_source)],
        ),
        decide_time=to_timestamp(row.decided_at),
    )

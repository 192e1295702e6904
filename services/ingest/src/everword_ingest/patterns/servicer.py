"""PatternService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import pattern_service_pb2 as pb
from everword.v1.pattern_service_pb2_grpc import PatternServiceServicer
from everword_ingest.patterns.decide_pattern import decide_pattern, set_pattern_threshold
from everword_ingest.patterns.read_patterns import explain_pattern, list_patterns
from everword_ingest.patterns.record_outcome import record_outcome
from everword_ingest.patterns.record_pattern import record_pattern
from everword_ingest.patterns.translate import (
    decided_to_proto,
    decision_to_proto,
    outcome_to_proto,
    pattern_to_proto,
    to_outcome_report,
    to_pattern_filter,
    to_seen,
)
from everword_ingest.request_ids.claims import hash_body


class PatternServicer(PatternServiceServicer):
    """Patterns of repeated actions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def RecordPattern(
        self, request: pb.RecordPatternRequest, context: Context
    ) -> pb.RecordPatternResponse:
        counted = await record_pattern(
            self._database,
            current_namespace(),
            to_seen(request),
            request.request_id,
            hash_body(request),
        )
        return pb.RecordPatternResponse(
            pattern=pattern_to_proto(counted.pattern),
            created=counted.created,
            replayed=counted.replayed,
        )

    async def RecordOutcome(
        self, request: pb.RecordOutcomeRequest, context: Context
    ) -> pb.RecordOutcomeResponse:
        counted = await record_outcome(
            self._database,
            current_namespace(),
            to_outcome_report(request),
            request.request_id,
            hash_body(request),
        )
        return pb.RecordOutcomeResponse(
            pattern=pattern_to_proto(counted.pattern), replayed=counted.replayed
        )

    async def DecidePattern(
        self, request: pb.DecidePatternRequest, context: Context
    ) -> pb.DecidePatternResponse:
        asked = request.auto_approve if request.HasField("auto_approve") else None
        decided = await decide_pattern(
            self._database, current_namespace(), request.entity, request.type, asked
        )
        return pb.DecidePatternResponse(
            decision=decided_to_proto(decided),
            pattern=pattern_to_proto(decided.pattern) if decided.pattern else None,
        )

    async def SetPatternThreshold(
        self, request: pb.SetPatternThresholdRequest, context: Context
    ) -> pb.SetPatternThresholdResponse:
        previous = await set_pattern_threshold(
            self._database, current_namespace(), request.type, request.auto_approve
        )
        return pb.SetPatternThresholdResponse(previous=previous)

    async def ListPatterns(
        self, request: pb.ListPatternsRequest, context: Context
    ) -> pb.ListPatternsResponse:
        patterns, token = await list_patterns(
            self._database,
            current_namespace(),
            to_pattern_filter(request),
            to_page(request),
        )
        return pb.ListPatternsResponse(
            patterns=[pattern_to_proto(each) for each in patterns], next_page_token=token
        )

    async def ExplainPattern(
        self, request: pb.ExplainPatternRequest, context: Context
    ) -> pb.ExplainPatternResponse:
        found = await explain_pattern(self._database, current_namespace(), UUID(request.pattern_id))
        return pb.ExplainPatternResponse(
            pattern=pattern_to_proto(found.pattern),
            outcomes=[outcome_to_proto(row) for row in found.outcomes],
            decisions=[decision_to_proto(row) for row in found.decisions],
            threshold=found.threshold,
        )

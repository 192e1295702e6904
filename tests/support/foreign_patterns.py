"""Calls on patterns and themes with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf import struct_pb2

from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import pattern_service_pb2 as pb
from support.callers import within
from support.foreign import NO_PAGE, Call

NO_PATTERN = "PATTERN_NOT_FOUND"


def pattern_request(entity: str = "Kiwi", **fields: Any) -> pb.RecordPatternRequest:
    data = struct_pb2.Struct()
    data.update({"account": "6540"})
    return pb.RecordPatternRequest(entity=entity, type="merchant", data=data, **fields)


def patterns_request(**fields: Any) -> pb.ListPatternsRequest:
    return pb.ListPatternsRequest(page_size=1, **fields)


def threshold_request(auto_approve: float) -> pb.SetPatternThresholdRequest:
    return pb.SetPatternThresholdRequest(type="merchant", auto_approve=auto_approve)


def _decide() -> pb.DecidePatternRequest:
    return pb.DecidePatternRequest(entity="Kiwi", type="merchant", auto_approve=0)


def _outcome(pattern_id: str, **fields: Any) -> pb.RecordOutcomeRequest:
    return pb.RecordOutcomeRequest(pattern_id=pattern_id, agreed=True, **fields)


#: Like `REFUSED` and `EMPTY` of the test.
PATTERNS_REFUSED: dict[str, tuple[str, Call]] = {
    "RecordOutcome pattern_id": (
        NO_PATTERN,
        lambda s, t: s.patterns.RecordOutcome(_outcome(t.pattern_id)),
    ),
    "ExplainPattern pattern_id": (
        NO_PATTERN,
        lambda s, t: s.patterns.ExplainPattern(pb.ExplainPatternRequest(pattern_id=t.pattern_id)),
    ),
    "ListPatterns page_token": (
        NO_PAGE,
        lambda s, t: s.patterns.ListPatterns(
            patterns_request(page_token=t.page_tokens["ListPatterns"])
        ),
    ),
}
PATTERNS_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "RecordPattern": (
        lambda s, t: s.patterns.RecordPattern(
            pattern_request(request_id="pattern"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
    "DecidePattern": (
        lambda s, t: s.patterns.DecidePattern(_decide()),
        lambda answer: not answer.decision.approved and not answer.HasField("pattern"),
    ),
    "SetPatternThreshold": (
        lambda s, t: s.patterns.SetPatternThreshold(
            threshold_request(0.5), metadata=within("third")
        ),
        lambda answer: answer.previous == 0.5,
    ),
    "ListThemes": (
        lambda s, t: s.fact_queries.ListThemes(profile.ListThemesRequest()),
        lambda answer: not answer.themes,
    ),
    "ListPatterns": (
        lambda s, t: s.patterns.ListPatterns(patterns_request()),
        lambda answer: not answer.patterns,
    ),
}

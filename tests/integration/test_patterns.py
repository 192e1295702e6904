"""Patterns: repeated actions on an entity, their confidence, and approval without asking a person."""

from __future__ import annotations

import asyncio
import math
from typing import Any
from uuid import uuid4

import grpc
import pytest
from google.protobuf import struct_pb2

from everword.v1 import pattern_service_pb2 as pb
from everword_ingest.patterns.confidence import Z, confidence
from support.callers import make_namespaces, within
from support.refusals import refused
from support.stack import Stack

TYPE = "merchant_category"
SOFTWARE = {"account": "6540", "vat_rate": 25}
TRAVEL = {"account": "7140", "vat_rate": 12}


async def record(
    stack: Stack, data: dict[str, Any] = SOFTWARE, entity: str = "REMA 1000", **fields: Any
) -> pb.RecordPatternResponse:
    struct = struct_pb2.Struct()
    struct.update(data)
    fields = {"type": TYPE, **fields}
    request = pb.RecordPatternRequest(entity=entity, data=struct, **fields)
    return await stack.patterns.RecordPattern(request)


async def outcome(stack: Stack, id_: str, agreed: bool, **fields: Any) -> pb.RecordOutcomeResponse:
    request = pb.RecordOutcomeRequest(pattern_id=id_, agreed=agreed, **fields)
    return await stack.patterns.RecordOutcome(request)


async def decide(
    stack: Stack, entity: str = "REMA 1000", **fields: Any
) -> pb.DecidePatternResponse:
    request = pb.DecidePatternRequest(entity=entity, type=TYPE, **fields)
    return await stack.patterns.DecidePattern(request)


async def listed(stack: Stack, **fields: Any) -> list[pb.Pattern]:
    response = await stack.patterns.ListPatterns(pb.ListPatternsRequest(**fields))
    return list(response.patterns)


def test_confidence_rises_with_each_agreement_and_falls_with_each_disagreement() -> None:
    for right in range(60):
        for wrong in range(60):
            now = confidence(right, wrong)
            assert 0 <= now < 1
            assert confidence(right + 1, wrong) > now
            assert confidence(right, wrong + 1) <= now
            assert now <= right / (right + wrong) if right else now == 0
    assert confidence(10, 0) < 0.8 <= confidence(11, 0)
    # Wilson's lower bound of the share.
    bound = confidence(90, 10)
    assert 0.9 - bound == pytest.approx(Z * math.sqrt(bound * (1 - bound) / 100))


async def test_an_occurrence_is_counted_and_raises_the_confidence_of_its_pattern(
    stack: Stack,
) -> None:
    first = await record(stack, category="software")
    assert first.created
    assert (first.pattern.occurrences, first.pattern.disagreements) == (1, 0)
    # Case, spaces and the order of keys do not make another pattern.
    again = await record(stack, dict(reversed(SOFTWARE.items())), "rema  1000")
    assert not again.created
    assert again.pattern.id == first.pattern.id
    assert (again.pattern.entity, again.pattern.category) == ("REMA 1000", "software")
    assert again.pattern.occurrences == 2
    assert again.pattern.confidence > first.pattern.confidence
    seen = [each.pattern.last_seen_time.ToNanoseconds() for each in (first, again)]
    assert seen[0] < seen[1]
    assert again.pattern.create_time == first.pattern.create_time
    got = await stack.patterns.ExplainPattern(pb.ExplainPatternRequest(pattern_id=first.pattern.id))
    assert got.pattern == again.pattern
    assert dict(got.pattern.data) == SOFTWARE


async def test_different_data_creates_a_pattern_and_disagrees_with_the_usual_one(
    stack: Stack,
) -> None:
    for _ in range(5):
        usual = (await record(stack)).pattern
    other = (await record(stack, TRAVEL)).pattern
    [first, second] = await listed(stack, entity="rema 1000", type=TYPE)
    assert [first.id, second.id] == [usual.id, other.id]
    assert (first.occurrences, first.disagreements) == (5, 1)
    assert first.confidence < usual.confidence
    # Another type or entity is independent.
    await record(stack, TRAVEL, type="vat")
    await record(stack, TRAVEL, "Kiwi")
    assert (await listed(stack, entity="rema 1000", type=TYPE))[0] == first


async def test_pattern_outcome_is_counted_once_per_request_and_keeps_its_reason(
    stack: Stack,
) -> None:
    id_ = (await record(stack, request_id="r", agent="bookkeeper")).pattern.id
    assert (await record(stack, request_id="r", agent="bookkeeper")).replayed
    right = await outcome(stack, id_, True, request_id="o")
    assert (right.pattern.occurrences, right.replayed) == (2, False)
    for _ in range(2):
        assert (await outcome(stack, id_, True, request_id="o")).replayed
    wrong = await outcome(stack, id_, False, reason="it was a private purchase")
    assert (wrong.pattern.occurrences, wrong.pattern.disagreements) == (2, 1)
    assert wrong.pattern.confidence < right.pattern.confidence
    assert wrong.pattern.last_seen_time == right.pattern.last_seen_time
    refusal = await refused(outcome(stack, id_, False, request_id="o"))
    assert refusal.reason == "REQUEST_ID_CONFLICT"
    request = pb.ExplainPatternRequest(pattern_id=id_)
    explained = await stack.patterns.ExplainPattern(request)
    assert [(each.agreed, each.recorded, each.reason) for each in explained.outcomes] == [
        (False, False, "it was a private purchase"),
        (True, False, ""),
        (True, True, ""),
    ]
    assert explained.pattern == wrong.pattern
    assert explained.pattern.agent == "bookkeeper"


async def test_decision_is_approved_at_the_confidence_threshold_with_an_explanation(
    stack: Stack,
) -> None:
    nothing = await decide(stack)
    assert not nothing.decision.approved
    assert not nothing.HasField("pattern")
    for _ in range(10):
        await record(stack)
    before = (await decide(stack, "rema 1000")).decision
    assert not before.approved
    id_ = (await record(stack)).pattern.id
    decided = await decide(stack)
    assert decided.decision.approved
    assert dict(decided.pattern.data) == SOFTWARE
    assert decided.decision.threshold_source == pb.THRESHOLD_SOURCE_DEFAULT
    assert decided.decision.explanation == (
        "It was right in 11 of 11, so that its confidence of 0.803 reaches the threshold of 0.80 (the default)."
    )
    # After one disagreement, a person is asked again.
    await outcome(stack, id_, False)
    after = (await decide(stack)).decision
    assert (after.approved, after.occurrences, after.disagreements) == (False, 11, 1)
    assert "is below the threshold" in after.explanation
    request = pb.ExplainPatternRequest(pattern_id=id_)
    explained = await stack.patterns.ExplainPattern(request)
    assert [each.approved for each in explained.decisions] == [False, True, False]
    assert explained.decisions[0] == after
    assert len(explained.outcomes) == 12


async def test_approval_threshold_can_be_set_per_type_and_per_request(stack: Stack) -> None:
    id_ = (await record(stack)).pattern.id
    setting = pb.SetPatternThresholdRequest(type=TYPE, auto_approve=0.2)
    assert not (await stack.patterns.SetPatternThreshold(setting)).HasField("previous")
    decision = (await decide(stack)).decision
    assert (decision.approved, decision.threshold) == (True, 0.2)
    assert decision.threshold_source == pb.THRESHOLD_SOURCE_TYPE
    strict = (await decide(stack, auto_approve=0.9)).decision
    assert (strict.approved, strict.threshold_source) == (False, pb.THRESHOLD_SOURCE_REQUEST)
    setting.auto_approve = 1.0
    assert (await stack.patterns.SetPatternThreshold(setting)).previous == 0.2
    assert not (await decide(stack)).decision.approved
    explained = await stack.patterns.ExplainPattern(pb.ExplainPatternRequest(pattern_id=id_))
    assert explained.threshold == 1.0
    # An unknown entity is never approved, even with a threshold of 0.
    assert not (await decide(stack, "Kiwi", auto_approve=0)).decision.approved
    await make_namespaces(stack, "theirs")
    theirs = pb.SetPatternThresholdRequest(type=TYPE, auto_approve=0.5)
    answer = await stack.patterns.SetPatternThreshold(theirs, metadata=within("theirs"))
    assert not answer.HasField("previous")


async def test_list_patterns_filters_and_pages_by_descending_confidence(stack: Stack) -> None:
    for number in range(5):
        for _ in range(number + 1):
            await record(stack, entity=f"shop {number}", category="food" if number % 2 else "fuel")
    assert [each.entity for each in await listed(stack, category="food")] == ["shop 3", "shop 1"]
    request, found = pb.ListPatternsRequest(type=TYPE, page_size=2), list[str]()
    while True:
        page = await stack.patterns.ListPatterns(request)
        found += [each.entity for each in page.patterns]
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    assert found == [f"shop {number}" for number in (4, 3, 2, 1, 0)]
    request.category = "food"
    request.page_token = page.next_page_token or "made up"
    assert (await refused(stack.patterns.ListPatterns(request))).reason == "PAGE_TOKEN_INVALID"


async def test_concurrent_pattern_records_lose_no_count(stack: Stack) -> None:
    await asyncio.gather(*(record(stack, TRAVEL if n % 4 == 0 else SOFTWARE) for n in range(20)))
    patterns = await listed(stack)
    # In either order: records from before the other value appeared do not contradict it.
    assert [each.occurrences for each in patterns] == [15, 5]
    for each in patterns:
        explained = await stack.patterns.ExplainPattern(
            pb.ExplainPatternRequest(pattern_id=each.id)
        )
        assert sum(one.agreed for one in explained.outcomes) == each.occurrences
        assert sum(not one.agreed for one in explained.outcomes) == each.disagreements


async def test_record_pattern_rejects_invalid_input(stack: Stack) -> None:
    assert (await refused(record(stack, {"x": "y" * 17_000}))).fields == {"data"}
    assert (await refused(record(stack, {"x": float("nan")}))).fields == {"data"}
    assert (await refused(record(stack, {"x": "a\0b"}))).code is grpc.StatusCode.INVALID_ARGUMENT
    assert (await refused(record(stack, entity=" \t "))).fields == {"entity"}
    assert (await refused(record(stack, type="Merchant Category"))).fields == {"type"}
    missing = await refused(outcome(stack, str(uuid4()), True))
    assert (missing.code, missing.reason) == (grpc.StatusCode.NOT_FOUND, "PATTERN_NOT_FOUND")
    for number in range(100):
        await record(stack, {"price": number})
    assert (await refused(record(stack, {"price": 100}))).fields == {"data"}
    assert (await record(stack, {"price": 7})).pattern.occurrences == 2

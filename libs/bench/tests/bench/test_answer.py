"""Reading a response: messages in an order that two runs share."""

from __future__ import annotations

import json

import pytest

from everword.bench.answer import BenchHit, Place, read_answer, relevance
from everword.bench.variants import ABLATION, PAGE_SIZE, of_messages, of_mode, of_profile
from everword.domain.calibration import DECIDING
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb

PLACES = {f"id-{n}": Place(n // 100, n % 100, f"m{n}") for n in range(200)}


def result(number: int, score: float) -> pb.SearchResult:
    return pb.SearchResult(memory=memory_pb2.Memory(id=f"id-{number}"), score=score)


def test_results_of_equal_score_are_ordered_by_conversation_and_sequence() -> None:
    scores = [(7, 0.9), (150, 0.5), (30, 0.5), (4, 0.5), (1, 0.4)]
    response = pb.SearchResponse(results=[result(*each) for each in scores])
    assert read_answer(response, PLACES).ranked == ("m7", "m4", "m30", "m150", "m1")


def test_ranking_contains_each_message_once_up_to_page_size() -> None:
    results = [result(3, 0.9), *(result(n, 0.5) for n in range(100))]
    ranked = read_answer(pb.SearchResponse(results=results), PLACES).ranked
    assert len(ranked) == len(set(ranked)) == PAGE_SIZE


def test_ranking_ignores_results_that_are_not_messages_of_the_dataset() -> None:
    strange = pb.SearchResult(memory=memory_pb2.Memory(id="other"), score=0.9)
    answer = read_answer(pb.SearchResponse(results=[strange, result(1, 0.1)]), PLACES)
    assert answer.ranked == ("m1",)


def test_empty_response_has_score_zero_chance_zero_and_degraded_arms() -> None:
    arm = pb.ArmReport(
        arm=pb.SEARCH_ARM_SEMANTIC, state=pb.ArmReport.STATE_DEGRADED, reason="no embedder"
    )
    response = pb.SearchResponse(verdict=pb.VERDICT_NOTHING_RELEVANT, arms=[arm])
    answer = read_answer(response, PLACES)
    assert (answer.top_score, answer.chance) == (0, 0)
    assert answer.verdict == "NOTHING_RELEVANT"
    assert answer.degraded == {"semantic": "no embedder"}


def test_variants_request_fifty_results_with_their_mode_or_profile() -> None:
    assert of_profile("").request("x") == pb.SearchRequest(query="x", page_size=50)
    assert of_profile("").name == "recall"
    assert of_mode("hybrid", "balanced").request("x").profile == "balanced"
    assert of_mode("lexical", "balanced").request("x").mode == pb.SEARCH_MODE_LEXICAL
    assert len({each.name for each in ABLATION}) == len(ABLATION)
    assert {each.request("x").page_size for each in ABLATION} == {50}


def test_of_messages_only_adds_a_filter_for_messages() -> None:
    plain = of_profile("balanced")
    request = of_messages(plain).request("x")
    assert request.filter == memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_MESSAGE])
    request.ClearField("filter")
    assert request == plain.request("x")
    # The identity of a run is stored as JSON.
    fields = dict(of_messages(plain).fields)
    assert json.loads(json.dumps(fields)) == fields


def test_chance_combines_relevance_of_first_ten_results() -> None:
    results = [result(1, 0.9), result(2, 0.8)]
    results[0].relevance, results[1].relevance = 0.3, 0.6
    answer = read_answer(pb.SearchResponse(results=results), PLACES)
    assert answer.top_score == 0.9
    assert answer.chance == pytest.approx(0.72)
    # Only the first ten results decide the verdict.
    late = [result(n, 0.5) for n in range(DECIDING + 1)]
    for each in late:
        each.relevance = 0.1
    late[-1].relevance = 0.9
    chance = read_answer(pb.SearchResponse(results=late), PLACES).chance
    assert chance == pytest.approx(1 - 0.9**DECIDING)


def test_uncalibrated_results_use_best_score_as_chance() -> None:
    results = [result(1, 0.7), *(result(n, 0.9) for n in range(DECIDING))]
    assert read_answer(pb.SearchResponse(results=results[:1]), PLACES).chance == 0.7
    # The first ten scores are no chances, and make none together.
    assert read_answer(pb.SearchResponse(results=results), PLACES).chance == 0.9
    # A relevance of 0 is one.
    results[0].relevance = 0.0
    assert relevance(results[0]) == 0
    results[0].ClearField("relevance")
    assert relevance(results[0]) == 0.7


def test_evidence_is_read_only_if_explanations_were_requested() -> None:
    results = [result(1, 0.9), result(2, 0.8)]
    results[0].explanation.evidence = 0.0
    response = pb.SearchResponse(results=results)
    assert read_answer(response, PLACES).explained is None
    assert read_answer(response, PLACES, explained=True).explained == (
        BenchHit(("m1",), 0.0),
        BenchHit(("m2",), None),
    )

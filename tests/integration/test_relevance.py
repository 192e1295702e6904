"""Relevance with and without a calibration, the floor, and `min_relevance` in every mode."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import grpc
import pytest
import pytest_asyncio

from everword.db.calibrations import CalibrationError
from everword.domain.calibration import (
    DECIDING,
    CalibratedProfile,
    Calibration,
    answer_chance,
    to_json,
)
from everword.v1 import context_service_pb2
from everword.v1 import search_service_pb2 as pb
from everword_search.retrieval import relevance
from support.calls import append
from support.corpus import search_request
from support.databases import DatabaseUnderTest, cloned
from support.refusals import refused
from support.relevance import (
    IN_PART,
    QUERY,
    WAYS,
    evidence,
    ids,
    measured,
    search,
    stack_with_history,
    store,
    way,
)
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with stack_with_history(database) as stack:
            yield stack


@pytest.fixture
def told(shared: Stack) -> Iterator[Stack]:
    """A shared stack whose tests only store calibrations; none is left."""
    yield shared
    with shared.database.connect() as conn:
        conn.execute("DELETE FROM calibrations")


@pytest_asyncio.fixture(loop_scope="module")
async def told_alone(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """A separate stack for a test that changes its memories."""
    async with stack_with_history(database) as stack:
        yield stack


@pytest.fixture(autouse=True)
def nothing_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance, "_shipped", lambda: ())


# Without a calibration


@way
async def test_uncalibrated_search_reports_only_confidence(told: Stack, way: str) -> None:
    """High confidence requires the same words or letters; similarity is no proof with an uncalibrated model."""
    response = await search(told, way, explain=True, page_size=200)
    assert response.calibration == pb.CALIBRATION_UNCALIBRATED
    assert response.verdict == pb.VERDICT_RELEVANT
    assert not any(result.HasField("relevance") for result in response.results)
    sure = [result for result in response.results if result.confidence == pb.CONFIDENCE_HIGH]
    for result in sure:
        literal = {pb.SEARCH_ARM_LEXICAL, pb.SEARCH_ARM_TRIGRAM}
        scores = [part.score for part in result.explanation.parts if part.arm in literal]
        assert max(scores, default=0) >= 0.8
    assert bool(sure) == (way in {"recall", "balanced", "trigram"})
    assert response.confidence == max(result.confidence for result in response.results[:10])
    assert all(result.confidence for result in response.results)
    # The same on each page.
    first = await search(told, way, page_size=1)
    second = await search(told, way, page_size=1, page_token=first.next_page_token)
    assert {first.confidence, second.confidence} == {response.confidence}


async def test_uncalibrated_search_without_match_has_verdict_nothing_relevant(told: Stack) -> None:
    """With vectors, the nearest memories are returned all the same."""
    response = await told.search.Search(search_request("qwertzuiop", "SEMANTIC"))
    best = max((result.confidence for result in response.results), default=pb.CONFIDENCE_NONE)
    assert (response.verdict == pb.VERDICT_NOTHING_RELEVANT) == (best == pb.CONFIDENCE_NONE)
    nothing = await told.search.Search(search_request("qwertzuiop", "LEXICAL"))
    assert nothing.verdict == pb.VERDICT_NOTHING_RELEVANT
    assert nothing.confidence == pb.CONFIDENCE_NONE


@way
async def test_min_relevance_without_calibration_is_refused(told: Stack, way: str) -> None:
    refusal = await refused(search(told, way, min_relevance=0.1))
    assert refusal.code is grpc.StatusCode.FAILED_PRECONDITION
    assert refusal.reason == "NOT_CALIBRATED"
    assert refusal.metadata["profile"] == way
    assert "everword calibrate" in refusal.message


async def test_calibration_of_one_profile_does_not_apply_to_others(told: Stack) -> None:
    store(told, measured("recall", await evidence(told, "recall"), 0.0))
    states = {way: (await search(told, way)).calibration for way in WAYS}
    assert states.pop("recall") == pb.CALIBRATION_CALIBRATED
    assert set(states.values()) == {pb.CALIBRATION_UNCALIBRATED}


async def test_regex_search_has_no_calibration_and_rejects_min_relevance(told: Stack) -> None:
    response = await told.search.Search(search_request("cut.*over", "REGEX"))
    assert response.calibration == pb.CALIBRATION_UNSPECIFIED
    assert response.verdict == pb.VERDICT_RELEVANT
    with_floor = search_request("cut.*over", "REGEX", min_relevance=0.1)
    refusal = await refused(told.search.Search(with_floor))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"min_relevance"}


# With a calibration


@way
async def test_confidence_and_relevance_are_computed_by_the_calibration_from_evidence(
    told: Stack, way: str
) -> None:
    found = await evidence(told, way)
    calibrated = measured(way, found, 0.0)
    store(told, calibrated)
    response = await search(told, way, explain=True, page_size=200)
    assert response.calibration == pb.CALIBRATION_CALIBRATED
    assert response.verdict == pb.VERDICT_RELEVANT
    evidences = [each.explanation.evidence for each in response.results]
    answers = [calibrated.calibration.relevance_of(each) for each in evidences]
    if way != "recall":
        assert [each.relevance for each in response.results] == pytest.approx(answers)
    assert max(answers) == pytest.approx(1)
    for result, answer in zip(response.results, answers, strict=True):
        steps = (0.04, 0.15, 0.5)
        assert result.confidence == 1 + sum(answer >= step for step in steps)
    assert response.confidence == pb.CONFIDENCE_HIGH


@way
async def test_verdict_below_the_floor_is_nothing_relevant(told: Stack, way: str) -> None:
    found = await evidence(told, way, IN_PART)
    low = Calibration((min(found), max(found) + 1e-9), (0.0, 0.05), floor=0.5)
    store(told, CalibratedProfile(way, "scripted", low))
    first = await search(told, way, IN_PART, page_size=1)
    second = await search(told, way, IN_PART, page_size=1, page_token=first.next_page_token)
    # In `recall`, relevance does not depend on the calibration, and the verdict agrees with it.
    assert (first.results[0].relevance >= 0.5) == (way == "recall")
    expected = (1, pb.CONFIDENCE_HIGH) if way == "recall" else (2, pb.CONFIDENCE_NONE)
    assert {(each.verdict, each.confidence) for each in (first, second)} == {expected}
    # An exact query gets a relevant verdict with any floor.
    whole = await search(told, way, page_size=1)
    again = await search(told, way, page_size=1, page_token=whole.next_page_token)
    assert (whole.verdict, again.verdict) == ((1, 1) if way == "recall" else (2, 2))


@way
@pytest.mark.parametrize("enough", [True, False])
async def test_verdict_on_every_page_depends_on_answer_chance_of_first_ten_results(
    told: Stack, way: str, enough: bool
) -> None:
    found = await evidence(told, way, IN_PART)
    assert len(found) > 2
    knots = (min(found) - 1, max(found) + 1)
    source_messages = Calibration(knots, (0.0, 0.2), 0.0)
    first = [source_messages.relevance_of(each) for each in found[:DECIDING]]
    chance = 1 - math.prod(1 - each for each in first)
    # No single result decides it.
    assert chance > max(first) + 1e-6
    floor = chance + (-1e-6 if enough else 1e-6)
    store(told, CalibratedProfile(way, "scripted", replace(source_messages, floor=floor)))
    token, verdicts, evidences = "", set(), []
    while True:
        page = await search(told, way, IN_PART, page_size=2, page_token=token, explain=True)
        verdicts.add(page.verdict)
        evidences += [result.explanation.evidence for result in page.results]
        if not (token := page.next_page_token):
            break
    assert len(evidences) == len(found)
    assert (answer_chance(map(source_messages.relevance_of, evidences)) >= floor) == enough
    # In `recall`, the verdict also agrees with the relevance, which is high here.
    assert verdicts == {1 if enough or way == "recall" else 2}


@way
async def test_verdict_counts_results_below_min_relevance(told: Stack, way: str) -> None:
    """The verdict is about all memories, not only those above the caller's floor."""
    found = await evidence(told, way)
    knots = (min(found) - 1, max(found) + 1)
    source_messages = Calibration(knots, (0.0, 0.2), 0.0)
    first = [source_messages.relevance_of(each) for each in found[:DECIDING]]
    floor = answer_chance(first) - 1e-6
    store(told, CalibratedProfile(way, "scripted", replace(source_messages, floor=floor)))
    everything = await search(told, way, page_size=200)
    levels = sorted(result.relevance for result in everything.results)
    scores = sorted(result.score for result in everything.results)
    floors: tuple[dict[str, Any], ...] = (
        {"min_relevance": levels[-1]},
        {"min_score": scores[-1] - 1e-6},
    )
    for given in floors:
        response = await search(told, way, page_size=1, **given)
        assert len(response.results) == 1
        assert response.verdict == pb.VERDICT_RELEVANT


async def test_calibration_stored_between_pages_does_not_change_the_verdict(told: Stack) -> None:
    first = await search(told, "lexical", page_size=1)
    found = await evidence(told, "lexical")
    low = Calibration((min(found), max(found) + 1e-9), (0.0, 0.05), floor=0.5)
    store(told, CalibratedProfile("lexical", None, low))
    second = await search(told, "lexical", page_size=1, page_token=first.next_page_token)
    assert {first.verdict, second.verdict} == {pb.VERDICT_RELEVANT}
    assert (await search(told, "lexical")).verdict == pb.VERDICT_NOTHING_RELEVANT


@way
async def test_min_relevance_excludes_lower_relevance(told: Stack, way: str) -> None:
    store(told, measured(way, await evidence(told, way), 0.0))
    everything = await search(told, way, page_size=200)
    fact_statement_of = {result.memory.id: result.relevance for result in everything.results}
    levels = sorted(set(fact_statement_of.values()))
    # A result passes a minimum equal to its own relevance.
    for least in (levels[0], levels[len(levels) // 2], levels[-1]):
        if least == 0:
            continue
        response = await search(told, way, page_size=200, min_relevance=least)
        assert ids(response) == [id_ for id_ in ids(everything) if fact_statement_of[id_] >= least]


@way
async def test_pages_with_min_relevance_return_every_result_once(told: Stack, way: str) -> None:
    store(told, measured(way, await evidence(told, way), 0.0))
    whole = ids(await search(told, way, page_size=200, min_relevance=0.05))
    seen: list[str] = []
    token = ""
    while True:
        page = await search(told, way, page_size=2, page_token=token, min_relevance=0.05)
        seen += ids(page)
        if not (token := page.next_page_token):
            break
    assert whole
    assert seen == whole


async def test_min_relevance_above_every_result_returns_nothing_relevant(told: Stack) -> None:
    found = await evidence(told, "lexical")
    half = Calibration((min(found), max(found)), (0.0, 0.5), floor=0.1)
    store(told, CalibratedProfile("lexical", None, half))
    response = await search(told, "lexical", min_relevance=0.6)
    assert not response.results
    assert response.verdict == pb.VERDICT_NOTHING_RELEVANT
    assert response.calibration == pb.CALIBRATION_CALIBRATED


async def test_time_and_importance_change_the_score_but_not_relevance(told_alone: Stack) -> None:
    """The same words and vectors, newer or more important: another score, the same relevance."""
    store(told_alone, measured("balanced", await evidence(told_alone, "balanced"), 0.0))
    before = {each.memory.id: each for each in (await search(told_alone, "balanced")).results}
    with told_alone.database.connect() as conn:
        conn.execute(
            "INSERT INTO memory_use (namespace_id, memory_id, use_count, last_used_at) "
            "SELECT namespace_id, id, 20, occurred_at + interval '1 year' FROM messages "
            "WHERE id = %s",
            [next(iter(before))],
        )
        conn.execute("UPDATE memories SET importance_class = 4")
    after = {each.memory.id: each for each in (await search(told_alone, "balanced")).results}
    shared = before.keys() & after.keys()
    assert any(before[id_].score != after[id_].score for id_ in shared)
    for id_ in shared:
        assert before[id_].relevance == pytest.approx(after[id_].relevance, rel=1e-6)


# Choice of the calibration


async def test_stored_calibration_overrides_shipped_calibration(
    told: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await evidence(told, "recall")
    shipped = CalibratedProfile(
        "recall", "library/Scripted", Calibration((min(found), max(found)), (0.25, 0.25), 0.1)
    )
    monkeypatch.setattr(relevance, "_shipped", lambda: (shipped,))
    response = await search(told, "recall")
    assert {result.confidence for result in response.results} == {pb.CONFIDENCE_MEDIUM}
    store(told, measured("recall", found, 0.0))
    assert (await search(told, "recall")).results[0].confidence == pb.CONFIDENCE_HIGH


async def test_shipped_calibration_of_another_model_is_ignored(
    told: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = measured("recall", [0.0, 1.0], 0.5, model="another")
    lexical = measured("lexical", [0.0, 1.0], 0.0)
    monkeypatch.setattr(relevance, "_shipped", lambda: (other, lexical))
    assert (await search(told, "recall")).calibration == pb.CALIBRATION_UNCALIBRATED
    # A lexical search embeds nothing.
    assert (await search(told, "lexical")).calibration == pb.CALIBRATION_CALIBRATED


async def test_shipped_calibrations_are_empty_without_a_valid_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(relevance, "files", lambda package: tmp_path)
    relevance._shipped.cache_clear()
    try:
        assert relevance._shipped() == ()
        relevance._shipped.cache_clear()
        (tmp_path / relevance.SHIPPED).write_text("{}")
        assert relevance._shipped() == ()
        relevance._shipped.cache_clear()
        found = (measured("recall", [0.0, 1.0], 0.5),)
        (tmp_path / relevance.SHIPPED).write_text(to_json(found))
        assert relevance._shipped() == found
    finally:
        relevance._shipped.cache_clear()


async def test_dropping_a_generation_deletes_its_calibrations(
    told_alone: Stack,
) -> None:
    told = told_alone
    store(told, measured("semantic", [0.0, 1.0], 0.0), measured("lexical", [0.0, 1.0], 0.0))
    with pytest.raises(CalibrationError, match="another"):
        store(told, measured("semantic", [0.0, 1.0], 0.0, model="another"))
    with told.database.connect() as conn:
        active = "(SELECT id FROM model_generations WHERE state = 'active')"
        conn.execute(f"SELECT drop_vector_table({active})".encode())
        left = conn.execute("SELECT profile FROM calibrations").fetchall()
    assert left == [("lexical",)]


async def test_storing_a_calibration_replaces_the_previous_one(told: Stack) -> None:
    for floor in (0.1, 0.2):
        store(told, measured("lexical", [0.0, 1.0], floor), measured("recall", [0.0, 1.0], floor))
    with told.database.connect() as conn:
        kept = conn.execute("SELECT profile, floor FROM calibrations ORDER BY 1").fetchall()
    assert kept == [("lexical", 0.2), ("recall", 0.2)]


# Memories without an answer


async def test_balanced_without_embedder_is_uncalibrated_and_rejects_min_relevance(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, embedder=False) as stack:
        await append(stack, "The cutover is on Monday.")
        store(stack, measured("balanced", [0.0, 1.0], 0.5, model="minilm-e5"))
        response = await search(stack, "balanced")
        assert response.results
        assert response.calibration == pb.CALIBRATION_UNCALIBRATED
        assert response.verdict == pb.VERDICT_RELEVANT
        refusal = await refused(search(stack, "balanced", min_relevance=0.1))
        assert refusal.code is grpc.StatusCode.UNAVAILABLE
        assert refusal.reason == "EMBEDDER_UNAVAILABLE"


# Contexts and statistics


async def test_build_context_applies_min_relevance(told: Stack) -> None:
    found = await evidence(told, "balanced")
    store(told, measured("balanced", found, 0.0))
    request = context_service_pb2.BuildContextRequest(
        query=QUERY, max_memories=200, min_relevance=0.5, profile="balanced"
    )
    built = await told.context.BuildContext(request)
    response = await search(told, "balanced", page_size=200, min_relevance=0.5)
    assert 0 < len(response.results) < len(found)
    [memories] = built.blocks
    assert {item.memory_id for item in memories.items} == set(ids(response))


async def test_get_stats_returns_the_active_embedding_model(told_alone: Stack) -> None:
    stats = await told_alone.search.GetStats(pb.GetStatsRequest())
    assert stats.embedding.model == "openai:scripted"
    with told_alone.database.connect() as conn:
        conn.execute("UPDATE model_generations SET state = 'retiring'")
    assert (await told_alone.search.GetStats(pb.GetStatsRequest())).embedding.model == ""

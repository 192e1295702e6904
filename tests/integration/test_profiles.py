"""Ranking profiles: by relevance alone, or balanced with time and importance."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import context_service_pb2
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as pb
from everword_search.retrieval import profiles
from everword_search.retrieval.profiles import Balanced
from support.background import embed_everything
from support.calls import append, message
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.foreign_namespaces import class_request
from support.refusals import refused
from support.stack import Stack, running_stack

MODES = ("HYBRID", "LEXICAL", "TRIGRAM", "REGEX", "SEMANTIC")


def days_ago(days: float) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(datetime.now(UTC) - timedelta(days=days))
    return stamp


async def search(stack: Stack, query: str, profile: str, **fields: Any) -> pb.SearchResponse:
    return await stack.search.Search(search_request(query, "HYBRID", profile=profile, **fields))


def contents(response: pb.SearchResponse) -> list[str]:
    return [result.memory.content for result in response.results]


def ids(response: pb.SearchResponse) -> list[str]:
    return [result.memory.id for result in response.results]


def signals(result: pb.SearchResult) -> dict[str, float]:
    return {signal.name: signal.value for signal in result.explanation.signals}


def parts(result: pb.SearchResult) -> dict[pb.SearchArm.ValueType, pb.ScorePart]:
    return {part.arm: part for part in result.explanation.parts}


def total(result: pb.SearchResult) -> float:
    explanation = result.explanation
    return sum(part.weight * part.score for part in explanation.parts) + sum(
        signal.weight * signal.value for signal in explanation.signals
    )


async def newer_then_older(stack: Stack) -> list[str]:
    """Store the same text twice, the older one later; return the ids, the newer one first."""
    appended = await append(
        stack,
        message("The tap drips.", create_time=days_ago(2)),
        message("The tap drips.", create_time=days_ago(30)),
    )
    return [entry.message_id for entry in appended.messages]


# The formula


async def test_balanced_prefers_newer_of_two_equal_texts_and_recall_scores_them_equal(
    stack: Stack,
) -> None:
    newer, older = await newer_then_older(stack)
    recall = await search(stack, "tap", "recall")
    # Equal scores are in order of storage, latest first.
    assert ids(recall) == [older, newer]
    assert recall.results[0].score == recall.results[1].score
    balanced = await search(stack, "tap", "balanced", explain=True)
    assert ids(balanced) == [newer, older]
    expected = 0.3 * (math.exp(-0.05 * 2) - math.exp(-0.05 * 30))
    apart = balanced.results[0].score - balanced.results[1].score
    assert apart == pytest.approx(expected, abs=1e-5)


async def test_balanced_ranks_correction_above_equal_plain_message(stack: Stack) -> None:
    when = days_ago(3)
    correction = message("The tap drips.", create_time=when, importance_class=4)
    appended = await append(stack, correction, message("The tap drips.", create_time=when))
    corrected, plain = (entry.message_id for entry in appended.messages)
    assert ids(await search(stack, "tap", "recall")) == [plain, corrected]
    balanced = await search(stack, "tap", "balanced", explain=True)
    assert ids(balanced) == [corrected, plain]
    assert [signals(result)["importance"] for result in balanced.results] == [0.9, 0.5]
    apart = balanced.results[0].score - balanced.results[1].score
    assert apart == pytest.approx(0.04, abs=1e-8)
    demoted = class_request(corrected, memory.IMPORTANCE_CLASS_UNSPECIFIED)
    await stack.ingest.UpdateMemory(demoted)
    assert ids(await search(stack, "tap", "balanced")) == [plain, corrected]


async def test_balanced_slows_decay_of_used_memory_but_ranks_newer_first(stack: Stack) -> None:
    newer, older = await newer_then_older(stack)
    with stack.database.connect() as conn:
        conn.execute(
            "INSERT INTO memory_use (namespace_id, memory_id, use_count, last_used_at) "
            "VALUES (1, %s, 40, now() - interval '14 days')",
            [older],
        )
    balanced = await search(stack, "tap", "balanced", explain=True)
    assert ids(balanced) == [newer, older]
    # 0.496585304 for the 14 days since the last use, and 1.5 times that for 25 uses.
    assert signals(balanced.results[1])["temporal"] == pytest.approx(0.744877956, abs=1e-5)
    only = memory.MemoryFilter(end_time=days_ago(7))
    used = context_service_pb2.BuildContextRequest(query="tap", filter=only)
    for _ in range(3):
        await stack.context.BuildContext(used)
    again = await search(stack, "tap", "balanced", explain=True)
    # The time since its last use counts now, which is less than the other one's age.
    assert ids(again) == [older, newer]
    assert signals(again.results[0])["temporal"] == pytest.approx(1.0)


async def test_repeated_balanced_search_changes_no_ranking(stack: Stack) -> None:
    expected = await newer_then_older(stack)
    responses = [await search(stack, "tap", "balanced", explain=True) for _ in range(4)]
    assert all(ids(response) == expected for response in responses)
    assert all(r.memory.use_count == 0 for response in responses for r in response.results)
    lasting = [[parts(result) for result in response.results] for response in responses]
    assert all(each == lasting[0] for each in lasting)


# Results and non-results


async def test_balanced_ignores_new_memories_that_do_not_match_the_query(stack: Stack) -> None:
    await append(
        stack,
        message("The cutover is on Thursday.", create_time=days_ago(90)),
        "Are you still there?",
    )
    response = await search(stack, "When is the cutover?", "balanced")
    assert contents(response) == ["The cutover is on Thursday."]
    nothing = await search(stack, "zebra", "balanced")
    assert nothing.verdict == pb.VERDICT_NOTHING_RELEVANT
    assert not nothing.results


async def test_balanced_scores_matching_newest_memories_outside_the_candidate_pool(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    await append(
        stack,
        message("tap", create_time=days_ago(90)),
        message("tap and sink", create_time=days_ago(80)),
        message("The tap in the kitchen drips again today.", create_time=days_ago(1)),
        message("Lunch was good.", create_time=days_ago(0)),
    )
    found = {}
    for newest in (1, 2):
        profile = Balanced(pool=1, newest=newest)
        monkeypatch.setattr(profiles, "PROFILES", {"balanced": profile})
        found[newest] = contents(await search(stack, "tap", "balanced"))
    assert found == {1: ["tap"], 2: ["The tap in the kitchen drips again today.", "tap"]}


async def test_balanced_applies_query_operators_and_filter_to_newest_memories(stack: Stack) -> None:
    await append(
        stack,
        message("The tap drips.", author="Mara", create_time=days_ago(9)),
        message("The tap drips loudly.", author="Mara"),
        message("The tap is fine.", author="Inés"),
    )
    mara = memory.MemoryFilter(authors=["Mara"])
    response = await search(stack, "tap -loudly", "balanced", filter=mara)
    assert contents(response) == ["The tap drips."]


async def test_balanced_finds_memory_by_similar_literal_with_zero_weight(stack: Stack) -> None:
    await append(stack, "opened src/auth_handler.rs today")
    (result,) = (await search(stack, "auth_handlr.rs", "balanced", explain=True)).results
    part = parts(result)[pb.SEARCH_ARM_TRIGRAM]
    assert part.score > 0.6
    assert part.weight == 0
    assert result.score == pytest.approx(total(result), abs=1e-8)


async def test_min_score_applies_to_the_balanced_score(stack: Stack) -> None:
    await newer_then_older(stack)
    first, second = (await search(stack, "tap", "balanced")).results
    between = (first.score + second.score) / 2
    assert ids(await search(stack, "tap", "balanced", min_score=between)) == [first.memory.id]


# Meaning


@pytest.fixture
async def knowing(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """A stack with search by meaning and a few messages."""
    async with running_stack(database) as stack:
        await append(
            stack,
            message("Our cat Miso sleeps on the radiator all winter.", create_time=days_ago(40)),
            message("The board approved the winter budget.", create_time=days_ago(5)),
            message("Are you still there?", create_time=days_ago(0)),
        )
        await embed_everything(stack)
        yield stack


async def test_balanced_explanation_parts_and_signals_add_up_to_the_score(knowing: Stack) -> None:
    response = await search(knowing, "What does the cat do in winter?", "balanced", explain=True)
    assert len(response.results) >= 2
    for result in response.results:
        assert result.score == pytest.approx(total(result), abs=1e-8)
        weights = [(signal.name, signal.weight) for signal in result.explanation.signals]
        assert weights == [("temporal", 0.3), ("importance", 0.1)]
        semantic = parts(result)[pb.SEARCH_ARM_SEMANTIC]
        assert semantic.weight == 0.3
        assert semantic.score == max(0.0, semantic.raw)
    assert parts(response.results[0])[pb.SEARCH_ARM_LEXICAL].weight == 0.3


async def test_balanced_scores_memory_without_vector_as_zero_similarity(knowing: Stack) -> None:
    text = "Miso is also a soup, and a good one in winter."
    await append(knowing, message(text, create_time=days_ago(5)))
    response = await search(knowing, "Miso", "balanced", explain=True)
    [result] = [each for each in response.results if each.memory.content == text]
    assert pb.SEARCH_ARM_SEMANTIC not in parts(result)
    lexical = parts(result)[pb.SEARCH_ARM_LEXICAL].score
    expected = 0.3 * lexical + 0.3 * math.exp(-0.05 * 5) + 0.1 * 0.5
    assert result.score == pytest.approx(expected, abs=1e-5)


async def test_balanced_counts_cosine_below_match_threshold_for_lexical_hits(
    knowing: Stack,
) -> None:
    """The formula uses the raw cosine; its value relative to the background decides whether it is a result."""
    query = "board games for the winter with children in the mountains"
    response = await search(knowing, query, "balanced", explain=True)
    semantic = {
        result.memory.id: parts(result)[pb.SEARCH_ARM_SEMANTIC] for result in response.results
    }
    matched = await knowing.search.Search(search_request(query, "SEMANTIC", page_size=50))
    below = [part for id_, part in semantic.items() if id_ not in ids(matched)]
    assert below
    assert all(part.score == max(0.0, part.raw) for part in below)


async def test_ranking_is_equal_without_pgvector(knowing: Stack) -> None:
    query = "What does the cat do in winter?"
    before = await search(knowing, query, "balanced", explain=True)
    with knowing.database.connect() as conn:
        conn.execute(
            """
            DROP VIEW visible_vectors_1;
            CREATE TABLE kept AS SELECT namespace_id, memory_id, embedding::real[] AS embedding FROM memory_vectors_1;
            DROP TABLE memory_vectors_1;
            DROP EXTENSION vector;
            SELECT create_vector_table(1);
            INSERT INTO memory_vectors_1 SELECT * FROM kept;
            """
        )
    after = await search(knowing, query, "balanced", explain=True)
    assert ids(after) == ids(before)
    scores = [result.score for result in before.results]
    assert [result.score for result in after.results] == pytest.approx(scores, abs=1e-4)


# Pages


@pytest.mark.parametrize("size", [1, 7, 40])
async def test_balanced_pages_return_every_candidate_once(stack: Stack, size: int) -> None:
    """Everything ages between two pages; the passage id breaks ties."""
    when = days_ago(1)
    await append(stack, *(message(f"tap {'x' * (n % 3)}", create_time=when) for n in range(20)))
    seen: list[str] = []
    token = ""
    for _ in range(20):
        page = await search(stack, "tap", "balanced", page_size=size, page_token=token)
        seen += ids(page)
        token = page.next_page_token
        if not token:
            break
    assert not token
    assert len(seen) == len(set(seen)) == 20
    assert seen == ids(await search(stack, "tap", "balanced", page_size=200))


async def test_page_token_of_another_profile_is_refused(stack: Stack) -> None:
    await newer_then_older(stack)
    token = (await search(stack, "tap", "balanced", page_size=1)).next_page_token
    refusal = await refused(search(stack, "tap", "recall", page_size=1, page_token=token))
    assert refusal.reason == "PAGE_TOKEN_INVALID"


# Requests


@pytest.mark.parametrize("mode", MODES)
async def test_search_with_unknown_profile_is_refused(stack: Stack, mode: str) -> None:
    refusal = await refused(stack.search.Search(search_request("tap", mode, profile="nonesuch")))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "VALIDATION_FAILED"
    assert refusal.violations == {"profile": "must be one of recall, balanced"}


async def test_build_context_with_unknown_profile_is_refused(stack: Stack) -> None:
    request = context_service_pb2.BuildContextRequest(
        query="tap", max_memories=0, profile="nonesuch"
    )
    refusal = await refused(stack.context.BuildContext(request))
    assert refusal.reason == "VALIDATION_FAILED"
    assert refusal.fields == {"profile"}


async def test_search_and_context_use_recall_profile_by_default(stack: Stack) -> None:
    newer, older = await newer_then_older(stack)
    assert ids(await search(stack, "tap", "")) == [older, newer]
    for profile, expected in (
        ("", older),
        ("balanced", newer),
        ("recall", older),
    ):
        request = context_service_pb2.BuildContextRequest(
            query="tap", profile=profile, skip_use_count=True, max_memories=1
        )
        response = await stack.context.BuildContext(request)
        assert [item.memory_id for item in response.blocks[0].items] == [expected]


@pytest.mark.parametrize("mode", ["LEXICAL", "TRIGRAM", "REGEX"])
async def test_single_arm_modes_ignore_the_profile(stack: Stack, mode: str) -> None:
    await newer_then_older(stack)
    plain = await stack.search.Search(search_request("tap", mode, explain=True))
    balanced = search_request("tap", mode, explain=True, profile="balanced")
    assert (await stack.search.Search(balanced)).results == plain.results


async def test_balanced_weights_are_unchanged_without_an_embedder(stack: Stack) -> None:
    """Without an embedder the scores equal those of memories without a vector."""
    await newer_then_older(stack)
    response = await search(stack, "tap", "balanced", explain=True)
    for result in response.results:
        assert [part.weight for part in result.explanation.parts] == [0.3]
        assert result.score == pytest.approx(total(result), abs=1e-8)

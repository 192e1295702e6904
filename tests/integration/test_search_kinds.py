"""Summaries, notes, facts and chunks rank on one scale with messages, in every mode."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import context_service_pb2, ingest_service_pb2
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.calls import append, message
from support.corpus import search_request
from support.databases import DatabaseUnderTest, cloned
from support.foreign_namespaces import class_request
from support.memories import DERIVED_KINDS, remember
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = "Which database did we choose for the billing service?"
ANSWER = "We chose PostgreSQL as the database for the billing service."
WEAK = (
    "The database backup of night {} went through.",
    "Has anybody seen invoice {} of the billing department?",
    "Which room did we book for meeting {}?",
    "Service desk ticket {} is still open.",
    "We choose lunch number {} today.",
    "Let us talk about the billing run of week {}.",
)
#: Mode and profile.
RANKINGS = (
    ("LEXICAL", ""),
    ("SEMANTIC", ""),
    ("HYBRID", "recall"),
    ("HYBRID", "balanced"),
)
#: Found by every mode.
RELEASE = "released v2.17.3 of the harbour scheduler"
OLD = datetime(2024, 2, 1, tzinfo=UTC)
NEW = datetime(2025, 9, 1, tzinfo=UTC)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def weak(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack in which 60 messages mention a question, and four memories of other kinds answer it."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await append(stack, *(WEAK[n % len(WEAK)].format(n) for n in range(60)))
            for kind in DERIVED_KINDS:
                await remember(database, kind, ANSWER, agent=kind)
                for when in (OLD, NEW):
                    await remember(database, kind, RELEASE, occurred_at=when, agent=kind)
            await embed_everything(stack)
            yield stack


@pytest_asyncio.fixture(loop_scope="module")
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


async def search(stack: Stack, query: str, mode: str, **fields: Any) -> list[pb.SearchResult]:
    response = await stack.search.Search(search_request(query, mode, **fields))
    return list(response.results)


def without_others(kind: str) -> memory.MemoryFilter:
    """Return a filter for messages without an agent and for memories of one kind."""
    derived: memory.MemoryKind.ValueType = memory.MemoryKind.Value(f"MEMORY_KIND_{kind.upper()}")
    return memory.MemoryFilter(kinds=[memory.MEMORY_KIND_MESSAGE, derived])


# One scale


@pytest.mark.parametrize(("mode", "profile"), RANKINGS)
@pytest.mark.parametrize("kind", DERIVED_KINDS)
async def test_exact_answer_of_any_kind_ranks_in_top_3_among_60_weak_messages(
    weak: Stack, kind: str, mode: str, profile: str
) -> None:
    results = await search(weak, QUESTION, mode, profile=profile, filter=without_others(kind))
    best = [(result.memory.kind, result.memory.content) for result in results[:3]]
    assert (DERIVED_KINDS[kind], ANSWER) in best
    assert len(results) > 3


@pytest.mark.parametrize(("mode", "profile"), RANKINGS)
async def test_answering_summary_of_ten_messages_ranks_in_top_3(
    stack: Stack, mode: str, profile: str
) -> None:
    """A summary of many messages ranks lower than one of them would, but above memories that hardly answer."""
    await append(stack, *(WEAK[n % len(WEAK)].format(n) for n in range(60)))
    [summary] = await remember(stack.database, "SUMMARY", ANSWER)
    with stack.database.connect() as conn:
        conn.execute(
            "INSERT INTO summaries (namespace_id, id, level, period, content, message_count, earliest_at, latest_at, "
            "                       model) VALUES (1, %s, 4, '2025-09-01', %s, 10, now(), now(), 'a-model')",
            [summary, ANSWER],
        )
    await embed_everything(stack)
    results = await search(stack, QUESTION, mode, profile=profile)
    assert summary in [result.memory.id for result in results[:3]]
    assert len(results) > 3


@pytest.mark.parametrize(("mode", "profile"), RANKINGS)
async def test_equal_texts_of_different_kinds_have_equal_scores(
    stack: Stack, mode: str, profile: str
) -> None:
    when = datetime.now(UTC) - timedelta(days=3)
    stamp = Timestamp()
    stamp.FromDatetime(when)
    await append(stack, message(ANSWER, create_time=stamp), "Nothing else matters.")
    for kind in DERIVED_KINDS:
        await remember(stack.database, kind, ANSWER, occurred_at=when)
    await embed_everything(stack)
    results = await search(stack, QUESTION, mode, profile=profile)
    equal = {r.memory.kind: r.score for r in results if r.memory.content == ANSWER}
    assert set(equal) == {1, *DERIVED_KINDS.values()}
    # The profile `recall` lowers the third and later ones, so that they leave room for other answers, and counts more
    # of the meaning of documents.
    scores = 3 if (mode, profile) == ("HYBRID", "recall") else 1
    assert len({round(score, 6) for score in equal.values()}) == scores


@pytest.mark.parametrize(
    ("mode", "profile"), [ranking for ranking in RANKINGS if ranking[0] != "SEMANTIC"]
)
async def test_long_summary_is_returned_once_by_its_answering_passage(
    stack: Stack, mode: str, profile: str
) -> None:
    await append(stack, *(WEAK[n % len(WEAK)].format(n) for n in range(60)))
    padding = "The week was otherwise spent on the garden, the roof and the car. " * 20
    [summary] = await remember(stack.database, "SUMMARY", f"{padding}\n{ANSWER}\n{padding}")
    await embed_everything(stack)
    results = await search(stack, QUESTION, mode, profile=profile, page_size=50)
    [place] = [place for place, each in enumerate(results) if each.memory.id == summary]
    # For `recall`, a text mostly about other things is a worse answer.
    assert place < (10 if profile == "recall" else 3)
    assert ANSWER in results[place].passage


async def test_hybrid_finds_summary_by_words_and_by_vector(weak: Stack) -> None:
    only = memory.MemoryFilter(kinds=[memory.MEMORY_KIND_SUMMARY])
    for profile in ("recall", "balanced"):
        [first, *_] = await search(
            weak, QUESTION, "HYBRID", profile=profile, filter=only, explain=True
        )
        arms = {part.arm for part in first.explanation.parts if part.score > 0}
        assert first.memory.content == ANSWER
        assert {pb.SEARCH_ARM_LEXICAL, pb.SEARCH_ARM_SEMANTIC} <= arms


# Missing vectors


@pytest.mark.parametrize(("mode", "profile"), RANKINGS[1:])
async def test_memory_without_vector_does_not_rank_above_embedded_answer(
    stack: Stack, mode: str, profile: str
) -> None:
    await append(stack, "Our cat Miso sleeps on the radiator all winter.")
    await embed_everything(stack)
    for kind in DERIVED_KINDS:
        await remember(stack.database, kind, "The radiator in the cellar was bled.")
    query = "Where does the cat sleep? On the radiator?"
    ranked = [each.memory.kind for each in await search(stack, query, mode, profile=profile)]
    late = sorted(DERIVED_KINDS.values()) if mode == "HYBRID" else []
    assert (ranked[0], sorted(ranked[1:])) == (memory.MEMORY_KIND_MESSAGE, late)


# Filters


@pytest.mark.parametrize(
    ("mode", "profile"), [*RANKINGS, ("TRIGRAM", ""), ("REGEX", ""), ("BROWSE", "")]
)
@pytest.mark.parametrize("kind", DERIVED_KINDS)
async def test_time_filter_is_applied_in_every_mode_for_every_kind(
    weak: Stack, kind: str, mode: str, profile: str
) -> None:
    middle, end = Timestamp(), Timestamp()
    middle.FromDatetime(datetime(2025, 1, 1, tzinfo=UTC))
    end.FromDatetime(datetime(2025, 12, 31, tzinfo=UTC))
    spans = {"end_time": [OLD], "start_time": [NEW], "": [NEW, OLD]}
    for side, expected in spans.items():
        only = memory.MemoryFilter(agents=[kind], end_time=end)
        if side:
            getattr(only, side).CopyFrom(middle)
        if side == "start_time":
            only.end_time.CopyFrom(end)
        found = await _found(weak, mode, profile, only)
        assert {each.kind for each in found} == {DERIVED_KINDS[kind]}
        times = sorted((each.occur_time.ToDatetime(tzinfo=UTC) for each in found), reverse=True)
        assert times == expected


async def _found(
    stack: Stack, mode: str, profile: str, only: memory.MemoryFilter
) -> list[memory.Memory]:
    if mode == "BROWSE":
        browsed = await stack.search.Browse(pb.BrowseRequest(filter=only))
        return list(browsed.memories)
    query = r"v2\.1\d\.3" if mode == "REGEX" else RELEASE
    results = await search(stack, query, mode, profile=profile, filter=only)
    return [result.memory for result in results]


async def test_kinds_filter_returns_only_requested_kinds(weak: Stack) -> None:
    wanted = [memory.MEMORY_KIND_NOTE, memory.MEMORY_KIND_FACT]
    results = await search(
        weak, QUESTION, "HYBRID", page_size=50, filter=memory.MemoryFilter(kinds=wanted)
    )
    assert {result.memory.kind for result in results} == set(wanted)


async def test_instance_of_a_memory_does_not_change_its_score(stack: Stack) -> None:
    """Another system boosted the calling instance's memories, twice even; here an instance is only a filter."""
    now = datetime.now(UTC)
    for name, hours in (("desk", 30), ("phone", 5)):
        stamp = Timestamp()
        stamp.FromDatetime(now - timedelta(hours=hours))
        await append(stack, message(ANSWER, instance=name, create_time=stamp))
    await embed_everything(stack)
    for mode, profile in RANKINGS:
        results = await search(stack, QUESTION, mode, profile=profile)
        # Recency counts only in the profile `balanced`.
        digits = 1 if profile == "balanced" else 6
        assert len({round(result.score, digits) for result in results}) == 1
        only = memory.MemoryFilter(instances=["desk"])
        [own] = await search(stack, QUESTION, mode, profile=profile, filter=only)
        assert own.memory.instance == "desk"
        [same] = [result for result in results if result.memory.id == own.memory.id]
        assert own.score == pytest.approx(same.score, abs=1e-6)


# Reading, classifying and use of other kinds


async def test_fact_can_be_read_in_full_classified_and_marked_used(stack: Stack) -> None:
    text = "Lea is vegetarian. " * 60
    [fact] = await remember(stack.database, "FACT", text, author="Sleep", subject="lea")
    got = (await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=fact))).memory
    assert (got.kind, got.content, got.author, got.subject) == (4, text, "Sleep", "lea")
    assert (got.conversation_id, got.seq, got.role) == ("", 0, memory.ROLE_UNSPECIFIED)
    corrected = class_request(fact, memory.IMPORTANCE_CLASS_CORRECTION)
    await stack.ingest.UpdateMemory(corrected)
    await stack.ingest.MarkUsed(ingest_service_pb2.MarkUsedRequest(memory_ids=[fact]))
    [result] = await search(stack, "vegetarian", "LEXICAL")
    assert (result.memory.importance_class, result.memory.use_count) == (4, 1)


async def test_context_labels_memory_without_author_with_its_kind(stack: Stack) -> None:
    when = datetime(2026, 4, 18, 12, tzinfo=UTC)
    await remember(stack.database, "SUMMARY", "The tap was mended.", occurred_at=when, agent="opus")
    request = context_service_pb2.BuildContextRequest(query="tap")
    response = await stack.context.BuildContext(request)
    [item] = response.blocks[0].items
    assert re.fullmatch(r"\[1 summary\](\d+%)? The tap was mended\.", item.text)


async def test_passages_of_every_kind_are_counted_and_embedded(stack: Stack) -> None:
    before = await stack.search.GetStats(pb.GetStatsRequest())
    for kind in DERIVED_KINDS:
        await remember(stack.database, kind, ANSWER)
    pending = await stack.search.GetStats(pb.GetStatsRequest())
    await embed_everything(stack)
    after = await stack.search.GetStats(pb.GetStatsRequest())
    assert after.corpus.passages == before.corpus.passages + 4
    assert (after.corpus.messages, after.embedding.coverage) == (0, 1.0)
    assert (pending.embedding.pending, after.embedding.pending) == (4, 0)


async def test_summaries_do_not_displace_messages_from_the_candidate_pool(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many summaries an arm finds first, the usual number of messages is ranked."""
    monkeypatch.setattr("everword_search.retrieval.recall.POOL", 4)
    for n in range(4):
        await append(stack, f"Barley of field {n} was sold to the brewery.", session_key=f"{n}")
    await remember(stack.database, "SUMMARY", *(["Barley, barley, barley was sold."] * 4))
    await embed_everything(stack)
    results = await search(stack, "sold barley", "HYBRID", page_size=20)
    kinds = [result.memory.kind for result in results]
    assert kinds.count(memory.MEMORY_KIND_MESSAGE) == 4
    assert kinds.count(memory.MEMORY_KIND_SUMMARY) == 4

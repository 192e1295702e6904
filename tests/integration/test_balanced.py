"""The profile `balanced` end to end: its formula against values calculated by hand, and its options per request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from numpy.typing import NDArray

from everword.domain.calibration import DECIDING, CalibratedProfile, Calibration
from everword.v1 import admin_service_pb2, context_service_pb2
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as pb
from everword_search.passages.store import SQL
from support import relevance as told
from support.background import embed_everything
from support.calls import append, message
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.foreign_namespaces import class_request
from support.refusals import refused
from support.running_stack import embed_with
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack

#: BM25 of a passage of mean length that holds the one word asked for once: 1 / (k1 + 1).
ONE_WORD = 1 / 1.9


def days_ago(days: float) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(datetime.now(UTC) - timedelta(days=days))
    return stamp


async def search(stack: Stack, query: str, **options: Any) -> list[pb.SearchResult]:
    balanced = pb.BalancedOptions(**options) if options else None
    request = search_request(query, "HYBRID", profile="balanced", explain=True, balanced=balanced)
    return list((await stack.search.Search(request)).results)


def ids(results: list[pb.SearchResult]) -> list[str]:
    return [result.memory.id for result in results]


def signal(result: pb.SearchResult, name: str) -> float:
    [value] = [each.value for each in result.explanation.signals if each.name == name]
    return value


async def two_equal(stack: Stack, **fields: Any) -> list[str]:
    """Store the same text twice at the same time, the first one with `fields`; return both ids.

    With equal scores, the later one ranks first.
    """
    when = days_ago(3)
    appended = await append(
        stack,
        message("The tap drips.", create_time=when, **fields),
        message("The tap drips.", create_time=when),
    )
    return [entry.message_id for entry in appended.messages]


def used(stack: Stack, memory_id: str, count: int, days: float) -> None:
    """Record `count` uses of a memory, the last one `days` ago."""
    with stack.database.connect() as conn:
        conn.execute(
            "INSERT INTO memory_use (namespace_id, memory_id, use_count, last_used_at) "
            "VALUES (1, %s, %s, now() - make_interval(secs => %s))",
            [memory_id, count, days * 86400],
        )


# The formula


class HalfAlike(ScriptedEmbedder):
    """A model in which passages about a tap have a cosine of 0.5 with the query."""

    def vector(self, text: str) -> NDArray[np.float32]:
        if "tap" not in text.lower():
            return super().vector(text)
        unit = np.zeros(self.dimensions, dtype=np.float32)
        unit[:2] = (1.0, 0.0) if text == "tap" else (0.5, 0.75**0.5)
        return unit


@pytest.fixture
async def alike(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    with HalfAlike(32).running() as model:
        embed_with(database, model)
        async with running_stack(database) as stack:
            yield stack


@pytest.mark.parametrize(
    ("days", "uses", "importance_class", "expected"),
    [
        # 0.3 · 0.526316 + 0.3 · 0.5 = 0.307895, and
        (0, 0, 0, 0.657895),  # 0.3 · 1 + 0.1 · 0.5
        (14, 0, 4, 0.546870),  # 0.3 · 0.496585 + 0.1 · 0.9
        (14, 10, 3, 0.566665),  # 0.3 · 0.496585 · 1.2 + 0.1 · 0.8
        (60, 100, 2, 0.390299),  # 0.3 · 0.049787 · 1.5 + 0.1 · 0.6
        (2, 25, 1, 0.657895),  # 0.3 · 1, since 0.904837 · 1.5 exceeds 1, + 0.1 · 0.5
    ],
)
async def test_score_equals_hand_calculated_value(
    alike: Stack, days: float, uses: int, importance_class: int, expected: float
) -> None:
    told = message("Tap.", create_time=days_ago(days), importance_class=importance_class)
    [entry] = (await append(alike, told)).messages
    if uses:
        used(alike, entry.message_id, uses, days)
    await embed_everything(alike)
    [result] = await search(alike, "tap")
    parts = {part.arm: part.score for part in result.explanation.parts}
    assert parts[pb.SEARCH_ARM_LEXICAL] == pytest.approx(ONE_WORD, abs=1e-6)
    assert parts[pb.SEARCH_ARM_SEMANTIC] == pytest.approx(0.5, abs=1e-3)
    assert result.score == pytest.approx(expected, abs=1e-4)


async def test_search_and_context_return_equal_scores(stack: Stack) -> None:
    """No statement has a copy of the formula, and both calls return equal scores."""
    await two_equal(stack, importance_class=4)
    found = await search(stack, "tap")
    request = context_service_pb2.BuildContextRequest(
        query="tap", profile="balanced", skip_use_count=True
    )
    [block] = (await stack.context.BuildContext(request)).blocks
    scores = {result.memory.id: result.score for result in found}
    # Duplicates are included once.
    [item] = block.items
    assert item.score == pytest.approx(scores[item.memory_id], abs=1e-6)
    assert [name for name, statement in SQL.items() if "exp(" in statement.sql] == []


# Importance


async def test_importance_class_of_append_changes_rank(stack: Stack) -> None:
    first, second = await two_equal(stack)
    assert ids(await search(stack, "tap")) == [second, first]
    first, second = await two_equal(stack, importance_class=memory.IMPORTANCE_CLASS_PREFERENCE)
    results = await search(stack, "tap")
    assert ids(results)[0] == first
    assert signal(results[0], "importance") == 0.8


async def test_importance_class_of_update_changes_rank(stack: Stack) -> None:
    first, second = await two_equal(stack)
    assert ids(await search(stack, "tap")) == [second, first]
    await _classify(stack, first, memory.IMPORTANCE_CLASS_FACT)
    results = await search(stack, "tap")
    assert ids(results) == [first, second]
    assert signal(results[0], "importance") == 0.6


async def test_suggested_class_changes_rank_unless_caller_set_one(stack: Stack) -> None:
    first, second = await two_equal(stack)
    _suggest(stack, first, memory.IMPORTANCE_CLASS_CORRECTION)
    results = await search(stack, "tap")
    assert ids(results) == [first, second]
    assert signal(results[0], "importance") == 0.9
    assert results[0].memory.importance_class == memory.IMPORTANCE_CLASS_UNSPECIFIED
    await _classify(stack, first, memory.IMPORTANCE_CLASS_TASK)
    results = await search(stack, "tap")
    assert ids(results) == [second, first]
    assert signal(results[1], "importance") == 0.5
    await _classify(stack, first, memory.IMPORTANCE_CLASS_UNSPECIFIED)
    assert ids(await search(stack, "tap")) == [first, second]


async def test_delete_namespace_deletes_importance_suggestions(stack: Stack) -> None:
    first, _ = await two_equal(stack)
    _suggest(stack, first, memory.IMPORTANCE_CLASS_FACT)
    await stack.admin.DeleteNamespace(admin_service_pb2.DeleteNamespaceRequest(name="default"))
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM importance_suggestions").fetchone() == (0,)


async def _classify(
    stack: Stack, memory_id: str, importance_class: memory.ImportanceClass.ValueType
) -> None:
    request = class_request(memory_id, importance_class)
    await stack.ingest.UpdateMemory(request)


def _suggest(stack: Stack, memory_id: str, importance_class: int) -> None:
    """Store a suggestion, as background work does."""
    with stack.database.connect() as conn:
        conn.execute(
            "INSERT INTO importance_suggestions "
            "(namespace_id, memory_id, importance_class, model, prompt_version) "
            "VALUES (1, %s, %s, 'a-model', '1')",
            [memory_id, importance_class],
        )


# Options of a request


async def test_returned_results_count_as_uses_without_cap(
    stack: Stack,
) -> None:
    first, second = await two_equal(stack)
    request = admin_service_pb2.UpdateNamespaceRequest()
    request.namespace.name = "default"
    request.namespace.settings.use_counting = admin_service_pb2.USE_COUNTING_RETURNED
    request.update_mask.paths.append("settings.use_counting")
    await stack.admin.UpdateNamespace(request)
    used(stack, first, 99, days=60)
    for _ in range(2):  # Each return counts as a use.
        await search(stack, "tap", use_cap=0)
    with stack.database.connect() as conn:
        conn.execute("UPDATE memory_use SET last_used_at = now() - interval '60 days'")
        conn.execute("UPDATE memories SET occurred_at = now() - interval '60 days'")
    results = await search(stack, "tap", use_cap=0)
    assert ids(results) == [first, second]
    temporal = [signal(result, "temporal") for result in results]
    # 0.049787 · (1 + 0.02 · 101), and 0.049787 · (1 + 0.02 · 2)
    assert temporal == pytest.approx([0.150357, 0.051779], abs=1e-5)
    with stack.database.connect() as conn:
        conn.execute("UPDATE memory_use SET last_used_at = now() - interval '60 days'")
    capped = await search(stack, "tap")
    assert signal(capped[0], "temporal") == pytest.approx(0.074681, abs=1e-5)  # 0.049787 · 1.5


async def test_half_life_determines_temporal_signal(stack: Stack) -> None:
    await two_equal(stack)  # Three days old.
    for days, expected in ((3, 0.5), (1, 0.125), (30, 0.933033)):
        half_life = Duration(seconds=days * 86400)
        [first, *_] = await search(stack, "tap", half_life=half_life)
        assert signal(first, "temporal") == pytest.approx(expected, abs=1e-5)


async def test_weights_are_normalised_by_their_sum(stack: Stack) -> None:
    first, second = await two_equal(stack, importance_class=4)
    results = await search(stack, "tap", temporal_weight=0.0, importance_weight=0.4)
    # The weights sum up to 1, so that only the two change.
    weights = [(each.name, each.weight) for each in results[0].explanation.signals]
    assert weights == [("temporal", 0.0), ("importance", pytest.approx(0.4))]
    assert results[0].score - results[1].score == pytest.approx(0.4 * 0.4, abs=1e-6)
    results = await search(
        stack, "tap", lexical_weight=0.5, semantic_weight=0.0, temporal_weight=0.0
    )
    total = sum(part.weight for part in results[0].explanation.parts)
    total += sum(each.weight for each in results[0].explanation.signals)
    assert total == pytest.approx(1.0)  # 5/6 and 1/6
    assert ids(results) == [first, second]
    unimportant = await search(stack, "tap", importance_weight=0.0)
    assert ids(unimportant) == [second, first]


async def test_build_context_applies_balanced_options(stack: Stack) -> None:
    first, second = await two_equal(stack, importance_class=4)
    for weight, expected in ((0.1, [first, second]), (0.0, [second, first])):
        request = context_service_pb2.BuildContextRequest(
            query="tap",
            profile="balanced",
            balanced=pb.BalancedOptions(importance_weight=weight),
            skip_use_count=True,
            max_memories=1,
        )
        [block] = (await stack.context.BuildContext(request)).blocks
        assert [item.memory_id for item in block.items] == expected[:1]


@pytest.mark.parametrize(
    ("profile", "options", "field"),
    [
        ("recall", {"use_cap": 0}, "balanced"),
        ("", {}, "balanced"),
        (
            "balanced",
            dict.fromkeys(
                ("lexical_weight", "semantic_weight", "temporal_weight", "importance_weight"), 0.0
            ),
            "balanced",
        ),
        ("balanced", {"use_cap": -1}, "balanced.use_cap"),
        ("balanced", {"temporal_weight": 1.5}, "balanced.temporal_weight"),
        ("balanced", {"temporal_weight": float("nan")}, "balanced.temporal_weight"),
        ("balanced", {"half_life": Duration()}, "balanced.half_life"),
        ("balanced", {"half_life": Duration(seconds=10**12)}, "balanced.half_life"),
    ],
)
async def test_invalid_balanced_options_are_refused(
    stack: Stack, profile: str, options: dict[str, Any], field: str
) -> None:
    balanced = pb.BalancedOptions(**options)
    request = search_request("tap", "HYBRID", profile=profile, balanced=balanced)
    refusal = await refused(stack.search.Search(request))
    assert refusal.reason == "VALIDATION_FAILED"
    assert refusal.fields == {field}


async def test_page_token_with_other_options_is_refused(stack: Stack) -> None:
    await two_equal(stack)
    options = pb.BalancedOptions(use_cap=0)
    fields: dict[str, Any] = {"profile": "balanced", "page_size": 1}
    page = await stack.search.Search(search_request("tap", "HYBRID", balanced=options, **fields))
    other = search_request("tap", "HYBRID", page_token=page.next_page_token, **fields)
    assert (await refused(stack.search.Search(other))).reason == "PAGE_TOKEN_INVALID"


# The verdict


async def test_verdict_counts_old_answer_ranked_below_newer_matches(
    database: DatabaseUnderTest,
) -> None:
    """Newer matches rank higher, but the verdict depends on the best answer at any rank."""
    newest_first = pb.BalancedOptions(
        lexical_weight=0.05, semantic_weight=0.05, temporal_weight=0.9
    )
    async with told.stack_with_history(database) as stack:
        ask = partial(told.search, stack, "balanced", told.IN_PART, balanced=newest_first)
        old = message(told.IN_PART, create_time=Timestamp(seconds=1))
        [stored] = (await append(stack, old)).messages
        await embed_everything(stack)
        found = await ask(explain=True, page_size=200)
        ranked = {each.memory.id: each.explanation.evidence for each in found.results}
        assert list(ranked).index(stored.message_id) >= DECIDING
        most, second = sorted(ranked.values(), reverse=True)[:2]
        assert most == ranked[stored.message_id]
        alone = Calibration((second, most), (0.0, 1.0), floor=0.5)
        told.store(stack, CalibratedProfile("balanced", "scripted", alone))
        assert (await ask()).verdict == pb.VERDICT_RELEVANT

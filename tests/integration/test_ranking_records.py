"""Ranking data that an append stores for each passage."""

from __future__ import annotations

import pytest

from everword.text.passages import count_words, split_passages
from everword.text.ranking_record import (
    ENDS_ASKING,
    HAS_CODE,
    Records,
    message_traits,
    stems_of,
    term_hash,
    unpack_records,
)
from everword.v1 import admin_service_pb2
from everword.v1 import search_service_pb2 as pb
from support.callers import within
from support.calls import append, message
from support.memories import remember
from support.stack import Stack

TALE = "My neighbour built a boat last summer. " * 40 + "Will it ever swim?"


def stored(stack: Stack) -> tuple[list[str], Records]:
    """Return the stored passages in order, and their records."""
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT content, ranking FROM memories ORDER BY id").fetchall()
    assert all(ranking is not None for _, ranking in rows)
    return [content for content, _ in rows], unpack_records([ranking for _, ranking in rows])


def terms(records: Records, passage: int) -> list[int]:
    begin, count = records.begins[passage], records.counts[passage]
    return [int(term) for term in records.terms[begin : begin + count]]


async def test_ranking_record_has_term_hashes_of_its_passage(stack: Stack) -> None:
    await append(stack, "Boats!", TALE)
    contents, records = stored(stack)
    assert contents == ["Boats!", *split_passages(TALE)]
    assert len(contents) > 3
    for number, content in enumerate(contents):
        assert terms(records, number) == [term_hash(s) for s in stems_of(content, "english")]


async def test_ranking_records_of_one_message_share_its_traits(stack: Stack) -> None:
    await append(stack, TALE)
    _, records = stored(stack)
    assert set(records.flags.tolist()) == {message_traits(TALE).flags}
    assert records.flags[0] & ENDS_ASKING
    assert set(records.words.tolist()) == {count_words(TALE)}
    assert set(records.self_words.tolist()) == {40}


async def test_ranking_record_includes_tool_result(stack: Stack) -> None:
    await append(stack, message("", tool_name="run", tool_result="```\nkites\n```"))
    [content], records = stored(stack)
    assert records.flags[0] & HAS_CODE
    assert term_hash("kite") in terms(records, 0)
    assert terms(records, 0) == [term_hash(stem) for stem in stems_of(content, "english")]


@pytest.mark.parametrize(("config", "stem"), [("german", "haus"), ("simple", "häuser")])
async def test_ranking_record_uses_stemming_of_the_namespace(
    stack: Stack, config: str, stem: str
) -> None:
    settings = admin_service_pb2.NamespaceSettings(text_search_config=config)
    request = admin_service_pb2.CreateNamespaceRequest(
        namespace=admin_service_pb2.Namespace(name="theirs", settings=settings)
    )
    await stack.admin.CreateNamespace(request)
    await append(stack, "Häuser", metadata=within("theirs"))
    _, records = stored(stack)
    assert terms(records, 0)[0] == term_hash(stem)


async def test_ranking_record_of_summary_equals_record_of_message_with_same_text(
    stack: Stack,
) -> None:
    await append(stack, "Red kites in 2023?")
    await remember(stack.database, "SUMMARY", "Red kites in 2023?")
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT kind, ranking FROM memories").fetchall()
    assert len(rows) == 2
    assert len({ranking for _, ranking in rows}) == 1


async def test_search_scores_are_equal_when_ranking_records_are_missing(stack: Stack) -> None:
    await append(stack, "Red kites in 2023?", "I never saw one.", "My boat is slow.")
    request = pb.SearchRequest(query="Did anybody see kites from a boat in 2023?", explain=True)
    before = await stack.search.Search(request)
    with stack.database.connect() as conn:
        conn.execute("UPDATE memories SET ranking = NULL")
    after = await stack.search.Search(request)
    assert len(before.results) == 3
    for told, expected in zip(after.results, before.results, strict=True):
        assert (told.memory.id, told.score) == (expected.memory.id, expected.score)
        assert _features(told) == pytest.approx(_features(expected), nan_ok=True)


def _features(result: pb.SearchResult) -> dict[str, float]:
    return {each.name: each.value for each in result.explanation.features}

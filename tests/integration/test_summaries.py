"""Reading the summary DAG: one node, lists of nodes, and its part in Stats."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from everword.domain.ids import new_id
from everword.v1 import memory_pb2, stats_pb2
from everword.v1 import search_service_pb2 as pb
from everword.v1.summary_pb2 import SummaryFilter
from everword_search.summaries import read_summaries
from support.calls import append
from support.compaction import ScriptedComposer
from support.refusals import refused
from support.stack import Stack
from support.summaries import BRANCH, LEAF, ROOT, flag_for_review, harvest_tree, listed, summed_up

NEWEST = memory_pb2.ORDER_NEWEST_FIRST


async def test_get_memory_returns_summary_with_its_range_and_provenance(stack: Stack) -> None:
    conversation = await summed_up(stack, *[f"Row {n} is sown." for n in range(10)])
    (listed_one,) = await listed(stack)
    request = pb.GetMemoryRequest(memory_id=listed_one.id, include_unindexed=True)
    summary = (await stack.search.GetMemory(request)).summary
    assert summary == listed_one
    assert (summary.level, summary.conversation_id) == (LEAF, conversation)
    assert (summary.message_count, summary.first_seq, summary.last_seq) == (10, 1, 10)
    assert (summary.model, summary.prompt_version, summary.revision) == ("scripted", 1, 1)
    assert summary.token_count == len(summary.content.encode()) // 4
    assert "Row 9 is sown." in summary.content
    assert not summary.content_truncated
    assert summary.faithfulness.source_coverage == 1
    assert not summary.parent_id
    assert summary.earliest_time.ToDatetime() <= summary.latest_time.ToDatetime()
    memory = await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=summary.id))
    assert memory.memory.kind == memory_pb2.MEMORY_KIND_SUMMARY
    assert memory.memory.content == summary.content


async def test_expand_summary_with_unknown_id_is_not_found(stack: Stack) -> None:
    call = stack.search.ExpandSummary(pb.ExpandSummaryRequest(summary_id=str(uuid4())))
    assert (await refused(call)).reason == "SUMMARY_NOT_FOUND"


async def test_summary_tree_parents_cover_their_children(stack: Stack) -> None:
    conversation = await harvest_tree(stack)
    nodes = await listed(stack, conversation_id=conversation)
    by_id = {node.id: node for node in nodes}
    levels = {level: [n for n in nodes if n.level == level] for level in (LEAF, BRANCH, ROOT)}
    assert all(levels.values())
    assert len(nodes) == sum(map(len, levels.values()))
    for node in nodes:
        if node.parent_id:
            above = by_id[node.parent_id]
            assert above.level == node.level + 1
            assert above.first_seq <= node.first_seq <= node.last_seq <= above.last_seq
    assert [leaf.first_seq for leaf in levels[LEAF]] == sorted(n.first_seq for n in levels[LEAF])


async def test_list_summaries_pages_in_either_order(stack: Stack) -> None:
    await harvest_tree(stack)
    await summed_up(stack, *["Another one."] * 10, session_key="other")
    oldest = await listed(stack, page_size=7)
    assert oldest == await listed(stack)
    assert len({each.id for each in oldest}) == len(oldest) > 30
    assert [each.id for each in await listed(stack, order=NEWEST, page_size=9)] == [
        each.id for each in reversed(oldest)
    ]


async def test_list_summaries_filters_by_level_conversation_review_and_time(stack: Stack) -> None:
    conversation = await harvest_tree(stack)
    other = await summed_up(stack, *["Another one."] * 10, session_key="other")
    everything = await listed(stack)
    assert {each.level for each in await listed(stack, levels=[LEAF, ROOT])} == {LEAF, ROOT}
    (of_other,) = await listed(stack, conversation_id=other)
    assert of_other.conversation_id == other
    flag_for_review(stack, of_other.id)
    (in_review,) = await listed(stack, only_needing_review=True)
    assert (in_review.id, in_review.needs_review) == (of_other.id, True)
    assert list(in_review.faithfulness.unsupported) == ["4711"]
    assert not await listed(stack, conversation_id=conversation, only_needing_review=True)
    middle = everything[len(everything) // 2].latest_time
    since = await listed(stack, start_time=middle)
    assert [each.id for each in since] == [
        each.id for each in everything if each.latest_time.ToDatetime() >= middle.ToDatetime()
    ]
    before = await listed(stack, end_time=middle)
    assert {each.id for each in before} == {
        each.id for each in everything if each.earliest_time.ToDatetime() < middle.ToDatetime()
    }
    assert not await listed(stack, start_time=datetime.now(UTC) + timedelta(days=1))
    assert not await listed(stack, conversation_id=str(new_id()))


async def test_list_summaries_truncates_to_max_content_chars(stack: Stack) -> None:
    await summed_up(stack, *["A rather long sentence."] * 10)
    (short,) = await listed(stack, max_content_chars=12)
    assert (short.content, short.content_truncated) == ("scripted 1, ", True)
    (whole,) = await listed(stack, max_content_chars=len((await listed(stack))[0].content))
    assert not whole.content_truncated


async def test_list_summaries_page_obeys_the_byte_limit(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    await summed_up(stack, *[f"Sentence number {n}." for n in range(30)])
    nodes = await listed(stack)
    monkeypatch.setattr(read_summaries, "MAX_PAGE_BYTES", len(nodes[0].content) + 10)
    page = await stack.search.ListSummaries(pb.ListSummariesRequest())
    assert (len(page.summaries), bool(page.next_page_token)) == (1, True)
    assert await listed(stack) == nodes


async def test_list_summaries_refuses_page_token_of_another_request(stack: Stack) -> None:
    await summed_up(stack, *["A sentence."] * 20)
    page = await stack.search.ListSummaries(pb.ListSummariesRequest(page_size=1))
    wrong = pb.ListSummariesRequest(
        page_token=page.next_page_token, filter=SummaryFilter(only_needing_review=True)
    )
    assert (await refused(stack.search.ListSummaries(wrong))).reason == "PAGE_TOKEN_INVALID"


async def test_stats_count_summaries_and_unsummarised_messages(stack: Stack) -> None:
    await harvest_tree(stack)
    await append(stack, "A straggler.", "Another one.")
    stats = await stack.search.GetStats(pb.GetStatsRequest())
    nodes = await listed(stack)
    summaries = stats.summaries
    assert (summaries.summaries, summaries.depth) == (len(nodes), 3)
    assert (summaries.backlog.messages, summaries.backlog.conversations) == (2, 1)
    assert (summaries.stale, summaries.needs_review) == (0, 0)
    assert not stats.alerts


async def test_summary_that_needs_review_raises_an_alert(stack: Stack) -> None:
    inventor = ScriptedComposer(invented="Row 3")
    await summed_up(stack, *[f"Row {n} is sown." for n in range(10)], composer=inventor)
    stats = await stack.search.GetStats(pb.GetStatsRequest())
    assert stats.summaries.needs_review == 1
    (alert,) = stats.alerts
    assert alert.severity == stats_pb2.Alert.SEVERITY_WARNING
    assert "everword audit summaries" in alert.text

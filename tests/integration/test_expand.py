"""From a summary to its sources: with ExpandSummary, and in results of Search."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.v1 import context_service_pb2, memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword_search.summaries import expand_summary
from support.calls import TOOL, append, message
from support.compaction import ScriptedComposer, compact_everything
from support.refusals import refused
from support.stack import Stack
from support.summaries import LEAF, ROOT, flag_for_review, harvest_tree, listed, summed_up

LEXICAL = pb.SEARCH_MODE_LEXICAL
SUMMARY = memory_pb2.MEMORY_KIND_SUMMARY
MESSAGE = memory_pb2.MEMORY_KIND_MESSAGE


async def expand(stack: Stack, summary_id: str, **limits: int) -> pb.Expansion:
    request = pb.ExpandSummaryRequest(summary_id=summary_id, limits=pb.ExpansionLimits(**limits))
    return (await stack.search.ExpandSummary(request)).expansion


async def find(stack: Stack, query: str, **fields: object) -> pb.SearchResponse:
    request = pb.SearchRequest(
        **{"query": query, "mode": LEXICAL, **fields}  # type: ignore[arg-type]
    )
    return await stack.search.Search(request)


def depth(expansion: pb.Expansion) -> int:
    """Return the number of levels in an expansion."""
    below = [depth(child) for child in expansion.children]
    return 1 + max(below, default=0) if below or expansion.sources else 0


def all_below(expansion: pb.Expansion) -> Iterator[memory_pb2.Memory]:
    yield from expansion.sources
    for child in expansion.children:
        yield from all_below(child)


async def root_of(stack: Stack) -> str:
    await harvest_tree(stack)
    return (await listed(stack, levels=[ROOT]))[0].id


async def test_expand_root_to_the_requested_depth(stack: Stack) -> None:
    root = await root_of(stack)
    for levels in (1, 2, 3):
        assert depth(await expand(stack, root, depth=levels)) == levels
    # The tree has no further levels.
    assert depth(await expand(stack, root, depth=8)) == 3
    assert depth(await expand(stack, root)) == 2


async def test_expand_without_limits_returns_every_message_in_order(stack: Stack) -> None:
    root = await root_of(stack)
    whole = await expand(stack, root, depth=8, max_children=100, max_sources=100)
    messages = list(all_below(whole))
    assert len(messages) == whole.summary.message_count
    assert [each.seq for each in messages] == list(
        range(whole.summary.first_seq, whole.summary.last_seq + 1)
    )
    assert messages[7].content == "Field 7 gave 7 sacks of barley."
    assert messages[7].author == "Ana"
    assert not whole.omitted


async def test_expand_counts_omitted_items_at_every_node(stack: Stack) -> None:
    root = await root_of(stack)
    whole = await expand(stack, root, depth=8, max_children=100, max_sources=100)
    part = await expand(stack, root, depth=3, max_children=2, max_sources=3, max_content_chars=9)

    def compare(part: pb.Expansion, whole: pb.Expansion) -> None:
        shown = len(part.children) + len(part.sources)
        assert part.omitted == len(whole.children) + len(whole.sources) - shown
        assert len(part.children) <= 2
        assert len(part.sources) <= 3
        for source, original in zip(part.sources, whole.sources, strict=False):
            assert (source.id, source.content) == (original.id, original.content[:9])
            assert source.content_truncated
        for child, other in zip(part.children, whole.children, strict=False):
            assert child.summary.id == other.summary.id
            compare(child, other)

    compare(part, whole)
    assert part.omitted > 0
    assert part.children[0].children[0].omitted == 7
    at_the_limit = await expand(stack, root, depth=1)
    assert at_the_limit.children[0].omitted == len(whole.children[0].children)


async def test_expand_response_is_limited_in_total_items(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = await root_of(stack)
    monkeypatch.setattr(expand_summary, "MAX_ITEMS", 8)
    cut = await expand(stack, root, depth=8, max_children=100, max_sources=100)
    branches = len(cut.children)
    leaves = sum(len(branch.children) for branch in cut.children)
    assert branches + leaves + len(list(all_below(cut))) == 8
    assert cut.omitted == 0
    assert sum(branch.omitted for branch in cut.children) > 0


async def test_expand_runs_two_statements_per_level(
    stack: Stack, spans: InMemorySpanExporter
) -> None:
    root = await root_of(stack)
    spans.clear()
    await expand(stack, root, depth=8, max_children=100, max_sources=100)
    names = [span.name for span in spans.get_finished_spans()]
    assert names.count("read_children") == names.count("read_sources") == 3
    assert names.count("get_summaries") == 1


async def test_expanded_tool_call_contains_all_its_text(stack: Stack) -> None:
    block = memory_pb2.ContentBlock(type="text", text="In a block.")
    call = message(
        "", role=TOOL, tool_name="ls", tool_args="-la", tool_result="bin", content_blocks=[block]
    )
    await append(stack, call, *["Something said."] * 9)
    await compact_everything(stack)
    (leaf,) = await listed(stack)
    source = (await expand(stack, leaf.id)).sources[0]
    memory = await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=source.id))
    assert source.content == memory.memory.content == "In a block.\nls -la\nbin"
    assert source == memory.memory


async def test_search_expands_the_first_three_summaries_by_default(stack: Stack) -> None:
    await harvest_tree(stack)
    only = memory_pb2.MemoryFilter(kinds=[SUMMARY])
    first = await find(stack, "barley", filter=only, page_size=5)
    expanded = [result.HasField("expansion") for result in first.results]
    assert expanded == [True, True, True, False, False]
    for result in first.results[:3]:
        expansion = result.expansion
        assert expansion.summary.id == result.memory.id
        assert expansion.children or expansion.sources
        assert len(expansion.children) <= 5
        assert len(expansion.sources) <= 4
        assert depth(expansion) <= 2
    second = await find(stack, "barley", filter=only, page_size=5, page_token=first.next_page_token)
    assert second.results
    assert not any(result.HasField("expansion") for result in second.results)


async def test_search_expands_none_or_all_summaries_on_request(stack: Stack) -> None:
    await harvest_tree(stack)
    only = memory_pb2.MemoryFilter(kinds=[SUMMARY])
    none = await find(stack, "barley", filter=only, expand=pb.EXPAND_MODE_NONE)
    assert not any(result.HasField("expansion") for result in none.results)
    every = await find(
        stack,
        "barley",
        filter=only,
        expand=pb.EXPAND_MODE_ALL,
        expansion_limits=pb.ExpansionLimits(depth=3),
    )
    assert len(every.results) > 3
    assert all(result.HasField("expansion") for result in every.results)
    assert [r.memory.id for r in every.results] == [r.memory.id for r in none.results]
    roots = [r for r in every.results if r.expansion.summary.level == ROOT]
    assert all(depth(each.expansion) == 3 for each in roots)


@pytest.mark.parametrize("mode", ["LEXICAL", "TRIGRAM", "REGEX", "HYBRID"])
async def test_messages_are_found_after_compaction_as_before(stack: Stack, mode: str) -> None:
    texts = [f"The pump in row_{n}.cfg was mended by Emi{n}." for n in range(60)]
    query = {"TRIGRAM": "row_42.cfg", "REGEX": "row_42"}.get(mode, "who mended row_42.cfg")
    await append(stack, *texts)
    asked = {"mode": pb.SearchMode.Value(f"SEARCH_MODE_{mode}"), "page_size": 20}
    before = [result.memory.id for result in (await find(stack, query, **asked)).results]
    await compact_everything(stack)
    assert await listed(stack)
    after = await find(stack, query, **asked, filter=memory_pb2.MemoryFilter(kinds=[MESSAGE]))
    assert before
    assert set(before) == {result.memory.id for result in after.results}
    together = await find(stack, query, **asked)
    assert before[0] in {result.memory.id for result in together.results[:3]}
    assert SUMMARY in {result.memory.kind for result in together.results}


async def test_summary_that_needs_review_is_marked_in_search_and_not_in_contexts(
    stack: Stack,
) -> None:
    inventor = ScriptedComposer(invented="Row 3")
    await summed_up(
        stack, *[f"Row {n} is sown with turnips." for n in range(20)], composer=inventor
    )
    found = await find(stack, "scripted turnips", page_size=50)
    marked = {r.memory.id for r in found.results if r.needs_review}
    summaries = {r.memory.id for r in found.results if r.memory.kind == SUMMARY}
    assert len(marked) == 1
    assert len(summaries) == 2
    request = context_service_pb2.BuildContextRequest(
        query="scripted turnips", max_memories=3, skip_use_count=True
    )
    built = await stack.context.BuildContext(request)
    ids = [item.memory_id for block in built.blocks for item in block.items]
    assert not marked & set(ids)
    assert summaries - marked <= set(ids)
    # Other children take its place.
    assert len(ids) == 3


async def test_context_continues_past_a_page_of_summaries_that_need_review(stack: Stack) -> None:
    await summed_up(stack, *[f"Row {n} is sown with turnips." for n in range(30)])
    for node in await listed(stack):
        flag_for_review(stack, node.id)
    request = context_service_pb2.BuildContextRequest(
        query="scripted turnips", max_memories=2, skip_use_count=True
    )
    built = await stack.context.BuildContext(request)
    assert len([item for block in built.blocks for item in block.items]) == 2


async def test_expand_limits_above_the_maximum_are_refused(stack: Stack) -> None:
    request = pb.ExpandSummaryRequest(
        summary_id="0190b5c2-0000-7000-8000-000000000000", limits=pb.ExpansionLimits(depth=9)
    )
    assert (await refused(stack.search.ExpandSummary(request))).reason == "VALIDATION_FAILED"


async def test_expand_pages_direct_children(stack: Stack) -> None:
    root = await root_of(stack)
    whole = await expand(stack, root, depth=2, max_children=100, max_sources=100)
    leaf = (await listed(stack, levels=[LEAF]))[0].id
    for node, size in ((root, 1), (leaf, 4), (leaf, 0)):
        limits = pb.ExpansionLimits(depth=2, max_children=2, max_sources=3)
        request = pb.ExpandSummaryRequest(summary_id=node, limits=limits, page_size=size)
        found: list[str] = []
        while True:
            page = await stack.search.ExpandSummary(request)
            shown = page.expansion
            ids = [child.summary.id for child in shown.children]
            ids += [source.id for source in shown.sources]
            assert 0 < len(ids) <= (size or 3)
            # The limits also apply at lower levels, from the beginning of each node.
            assert all(child.children[:1] or child.sources[:1] for child in shown.children)
            assert all(len(child.children) <= 2 for child in shown.children)
            found += ids
            if not page.next_page_token:
                break
            request.page_token = page.next_page_token
        below = await expand(stack, node, depth=1, max_children=100, max_sources=100)
        assert found == [c.summary.id for c in below.children] + [m.id for m in below.sources]
    assert len(whole.children) > 1
    other = pb.ExpandSummaryRequest(summary_id=root, page_token=request.page_token)
    assert (await refused(stack.search.ExpandSummary(other))).reason == "PAGE_TOKEN_INVALID"

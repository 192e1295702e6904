"""`everword summaries`, `audit summaries` and `compaction-status`: for people, and for programs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

import pytest
import pytest_asyncio

from everword.v1.summary_pb2 import Summary
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.calls import append
from support.command_line import everword
from support.compaction import compact_everything
from support.databases import cloned
from support.stack import Stack, running_stack
from support.summaries import LEAF, ROOT, change, flag_for_review, harvest_tree, listed

SHARED = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True)
class Harvest:
    """A conversation with a tree of summaries, one leaf to be reviewed, a stale root and two messages more."""

    stack: Stack
    conversation_id: str
    #: Earliest first.
    nodes: list[Summary]

    @property
    def leaf(self) -> Summary:
        return next(node for node in self.nodes if node.level == LEAF)

    @property
    def root(self) -> Summary:
        return next(node for node in self.nodes if node.level == ROOT)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harvest(postgres_url: str) -> AsyncIterator[Harvest]:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            conversation_id = await harvest_tree(stack)
            await append(stack, "A straggler.", "Another one.")
            harvest = Harvest(stack, conversation_id, await listed(stack))
            flag_for_review(stack, harvest.leaf.id)
            stale = "UPDATE summaries SET stale = true WHERE id = %s"
            change(stack, stale, UUID(harvest.root.id))
            yield harvest


@SHARED
async def test_summaries_tree_prints_levels_spans_counts_flags_and_backlog(
    harvest: Harvest,
) -> None:
    nodes, root, leaf = harvest.nodes, harvest.root, harvest.leaf
    done = await everword(harvest.stack, "summaries", "tree", harvest.conversation_id)
    assert done.status == 0, done.errors
    lines = done.output.splitlines()
    assert lines[0] == "Field 0 gave 0 sacks of barley. (302 messages)"
    assert sum("leaf" in each for each in lines) == sum(n.level == LEAF for n in nodes)
    of_root = next(each for each in lines if f"…{root.id[-8:]}" in each)
    assert f"root …{root.id[-8:]}  #{root.first_seq}–#{root.last_seq}" in of_root
    assert f"{root.message_count} messages, {root.token_count} tokens  scripted  stale" in of_root
    of_leaf = next(each for each in lines if f"…{leaf.id[-8:]}" in each)
    assert of_leaf.endswith("scripted  review")
    assert of_leaf.index("leaf") > of_root.index("root")
    assert "#301–#302  2 messages not summed up yet" in lines[-1]


@SHARED
async def test_summaries_tree_accepts_session_key(harvest: Harvest) -> None:
    tree = await everword(harvest.stack, "summaries", "tree", "s", "--json")
    assert {node["id"] for node in tree.json()["summaries"]} == {node.id for node in harvest.nodes}
    missing = await everword(harvest.stack, "summaries", "tree", "no-such-key")
    assert missing.status == 1
    assert "CONVERSATION_NOT_FOUND" in missing.errors


@SHARED
async def test_summaries_show_accepts_shortened_id(harvest: Harvest) -> None:
    stack, leaf = harvest.stack, harvest.leaf
    done = await everword(stack, "summaries", "show", f"…{leaf.id[-8:]}", "--sources")
    assert done.status == 0, done.errors
    assert leaf.id in done.output
    assert "Field 0 gave 0 sacks of barley." in done.output
    assert "#10" in done.output
    shown = (await everword(stack, "summaries", "show", leaf.id, "--json")).json()
    assert (shown["id"], shown["level"]) == (leaf.id, "SUMMARY_LEVEL_LEAF")
    parent = (
        await everword(stack, "summaries", "show", leaf.parent_id, "--sources", "--json")
    ).json()
    assert parent["children"][0]["summary"]["id"] == leaf.id
    for wrong in ("zzz", "abc", "00000000000000000000"):
        refused = await everword(stack, "summaries", "show", wrong)
        assert refused.status == 2, wrong


@SHARED
async def test_summaries_are_listed_by_level_and_by_flag(harvest: Harvest) -> None:
    stack, nodes = harvest.stack, harvest.nodes

    async def ids(*options: str) -> list[str]:
        found = (await everword(stack, "summaries", "list", "--json", *options)).json()
        return [each["id"] for each in found["summaries"]]

    assert await ids("--oldest-first") == [each.id for each in nodes]
    assert await ids("--level", "root", "--level", "leaf", "--oldest-first") == [
        each.id for each in nodes if each.level in (LEAF, ROOT)
    ]
    assert await ids("--review") == [harvest.leaf.id]
    assert await ids("--limit", "2") == [each.id for each in reversed(nodes[-2:])]
    assert await ids("--since", "now") == []
    table = await everword(stack, "summaries", "list", "--review")
    assert f"…{harvest.leaf.id[-8:]}" in table.output
    assert "review" in table.output


async def test_audit_exits_with_status_1_if_it_has_findings(stack: Stack) -> None:
    await append(stack, *[f"Emi mended pump {n} with valve_{n}." for n in range(50)])
    await compact_everything(stack, ExtractiveComposer())
    clean = await everword(stack, "audit", "summaries")
    assert (clean.status, clean.errors) == (0, "")
    assert "nothing is wrong with them" in clean.output
    nodes = await listed(stack)
    change(
        stack,
        "UPDATE summaries SET content = content || ' It was 4711.' WHERE id = %s",
        UUID(nodes[0].id),
    )
    found = await everword(stack, "audit", "summaries")
    assert found.status == 1
    assert f"{len(nodes)} summaries checked" in found.output
    _, _, wrong = found.output.partition(f"…{nodes[0].id[-8:]}")
    assert "not in its sources: 4711" in wrong
    as_json = await everword(stack, "audit", "summaries", "--json")
    assert as_json.status == 1
    report = json.loads(as_json.output)
    assert report["audited"] == len(nodes)
    assert [each["summary"]["id"] for each in report["findings"]] == [nodes[0].id]


@SHARED
async def test_compaction_status_and_stats_print_backlog_and_levels(harvest: Harvest) -> None:
    stack = harvest.stack
    shown = (await everword(stack, "compaction-status")).output
    assert "no language model is configured" in shown
    assert "scripted" in shown
    assert any(
        "messages not summed up" in each and each.rstrip().endswith(" 2")
        for each in shown.splitlines()
    )
    status = (await everword(stack, "compaction-status", "--json")).json()
    assert status["mode"] == "COMPACTION_MODE_EXTRACTIVE"
    stats = (await everword(stack, "stats")).output
    assert any(
        "levels of the deepest tree" in each and each.rstrip().endswith(" 3")
        for each in stats.splitlines()
    )

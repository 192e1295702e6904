"""Messages of any length and content are summarised step by step, without delaying other calls."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from everword.domain.compaction import CompactionSettings
from everword.jobs.store import JobKey
from everword.jobs.sweep import sweep
from everword.jobs.task import LeaseLost, Task
from everword.jobs.worker import Worker
from everword.text.values.evidence import Evidence, find_values
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import search_service_pb2
from everword_compactor.audits import audit_summaries
from everword_compactor.compose.checks import coverage, faithfulness
from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.checks.inherited_values import with_inherited
from everword_compactor.compose.checks.tags import defuse_tags, render_tag, tags_in
from everword_compactor.compose.extractive import composer as extractive
from everword_compactor.compose.extractive.bullets import read_lines
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Draft, Faithfulness, Level, Source
from everword_compactor.conversations import job as compaction_job
from everword_compactor.conversations.job import Compaction
from everword_compactor.conversations.model import CompactedConversation, WaitingMessage
from everword_compactor.conversations.plan import MOST_LEAF_BYTES, LeafPlan, plan_leaf
from everword_compactor.outcomes.sentence import Call
from everword_compactor.tool_sentences.check import check_sentence
from support.calendar_calls import at, said
from support.calls import append
from support.compaction import (
    ScriptedComposer,
    compact_everything,
    roll_up_everything,
    worker_context,
)
from support.dag import BRANCH, DAY, LEAF, check_dag
from support.stack import Stack
from support.summaries import listed

MEGABYTE = 1024 * 1024
NOON = datetime(2026, 4, 18, 12, 3, tzinfo=UTC)
#: A digit for `regex`, whose Unicode tables are newer than Python's.
GARAY_DIGIT = "\U00010d40"


def source(text: str, number: int = 1) -> Source:
    return Source(
        id=UUID(int=number), level=0, text=text, earliest_at=NOON, latest_at=NOON, message_count=1
    )


def jobs(stack: Stack) -> dict[str, JobKey]:
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT c.session_key, j.namespace_id, j.id FROM jobs j JOIN conversations c ON c.id::text = j.subject "
            "WHERE j.task = 'compact'"
        ).fetchall()
    return {session_key: JobKey(*key) for session_key, *key in rows}


async def test_messages_larger_than_a_leaf_are_summarised_one_per_leaf(stack: Stack) -> None:
    """As one leaf they once exceeded the lease, were written for nothing, and failed three times."""
    for number in range(10):
        text = f"Emi mended pump {number} with valve_{number}. "
        await append(stack, text + "x" * MOST_LEAF_BYTES)
    [key] = jobs(stack).values()
    ended, reclaimed = threading.Event(), list[int]()
    with worker_context(stack.database, ExtractiveComposer()) as shop:
        worker = Worker(shop.database, Task("compact", Compaction(shop).run, lease_s=5.0))

        def watch() -> None:
            while not ended.wait(0.1):
                reclaimed.append(sweep(shop.database).reclaimed)

        watching = asyncio.create_task(asyncio.to_thread(watch))
        try:
            outcomes = [await asyncio.to_thread(worker.execute, key) for _ in range(3)]
        finally:
            ended.set()
            await watching
    assert "done" in outcomes
    assert set(outcomes) <= {"pending", "done", None}
    dag = check_dag(stack.database)
    assert len(dag.of_level(LEAF)) == 10
    assert len(dag.of_level(BRANCH)) == 1
    assert sum(reclaimed) == 0
    contents = [leaf.content for leaf in await listed(stack, levels=[LEAF])]
    assert all(any(f"valve_{n}." in content for content in contents) for n in range(10))
    assert max(map(len, contents)) < 30_000


def test_leaf_takes_messages_up_to_its_size_limit() -> None:
    settings = CompactionSettings()
    conversation = CompactedConversation(UUID(int=1), "", "", "", "", 10, 0, 0)

    def plan(*sizes: int) -> LeafPlan:
        waiting = [WaitingMessage(n, NOON, size) for n, size in enumerate(sizes, start=1)]
        return plan_leaf(conversation, waiting, settings, NOON)

    assert plan(*[MOST_LEAF_BYTES // 10] * 10).seqs == list(range(1, 11))
    assert plan(*[MOST_LEAF_BYTES // 4] * 10) == LeafPlan([1, 2, 3, 4], through=4)
    assert plan(*[MEGABYTE] * 10) == LeafPlan([1], through=1)
    # A full leaf does not wait for further messages.
    assert plan(100, MEGABYTE) == LeafPlan([1], through=1)
    assert plan(MEGABYTE) == LeafPlan([1], through=1)
    assert plan(100, 100).seqs == ()


async def test_compaction_of_a_conversation_yields_after_each_turn(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction_job, "TURN_S", 0.0)
    await append(stack, *[f"Message {n}." for n in range(30)], session_key="long")
    [key] = jobs(stack).values()
    with worker_context(stack.database) as shop:
        worker = Worker(shop.database, Task("compact", Compaction(shop).run))
        for leaves in (1, 2, 3):
            assert worker.execute(key) == "pending"
            assert len(check_dag(stack.database).of_level(LEAF)) == leaves
        assert worker.execute(key) == "done"


async def test_summarising_blocks_neither_other_workers_nor_appends(stack: Stack) -> None:
    """Neither a second worker nor an append waits, since nothing is locked while the summary is written."""
    for key in ("slow", "quick"):
        await append(stack, *[f"Message {n}." for n in range(10)], session_key=key)
    begun, go_on = threading.Event(), threading.Event()

    def slow(draft: Draft) -> None:
        begun.set()
        assert go_on.wait(30)

    due = jobs(stack)
    with (
        worker_context(stack.database, ScriptedComposer(on_compose=slow)) as first,
        worker_context(stack.database) as second,
    ):
        held = asyncio.create_task(
            asyncio.to_thread(
                Worker(first.database, Task("compact", Compaction(first).run)).execute, due["slow"]
            )
        )
        try:
            assert await asyncio.to_thread(begun.wait, 30)
            others = Worker(second.database, Task("compact", Compaction(second).run))
            async with asyncio.timeout(20):
                assert await asyncio.to_thread(others.execute, due["slow"]) is None
                assert await asyncio.to_thread(others.execute, due["quick"]) == "done"
                await append(stack, "One more.", session_key="slow")
        finally:
            go_on.set()
        await held
    assert len(check_dag(stack.database).of_level(LEAF)) == 2


def test_sentences_of_long_sources_are_selected_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [
        source(" ".join(f"Emi put crate {n} of lot {part} on shelf {n % 7}." for n in range(150)))
        for part in range(4)
    ]
    draft = Draft(Level.LEAF, sources, "a title")
    whole = ExtractiveComposer().compose(draft, lambda: None)
    monkeypatch.setattr(extractive, "PART_CHARS", 3000)
    weighed, part_of = list[int](), extractive._Part

    def weigh(candidates: Sequence[Any]) -> Any:
        weighed.append(len(candidates))
        return part_of(candidates)

    monkeypatch.setattr(extractive, "_Part", weigh)
    monkeypatch.setattr(extractive, "budget_of", lambda *_: 300.0)
    composed = ExtractiveComposer().compose(draft, lambda: None)
    assert composed == ExtractiveComposer().compose(draft, lambda: None)
    assert max(weighed) < 50
    assert composed.token_count <= 300
    assert not composed.needs_review
    assert all(line in sources_lines(sources) for line in sentences(composed.content))
    # Each part contributes lines, and the chosen lines are in order.
    assert {part for part in range(4) if f"lot {part} " in composed.content} == set(range(4))
    assert whole.token_count > composed.token_count


def sentences(content: str) -> list[str]:
    return [bullet.text for bullet in read_lines(content)]


def sources_lines(sources: list[Source]) -> str:
    return "\n".join(each.text for each in sources)


@pytest.mark.parametrize("text", ["-" * MEGABYTE, "." * 100_000, "- - \n" * 20_000])
def test_summary_of_a_megabyte_without_words_is_short(text: str) -> None:
    composed = ExtractiveComposer().compose(Draft(Level.LEAF, [source(text)], "t"), lambda: None)
    assert len(composed.content) < 30_000


STRANGE = [
    GARAY_DIGIT,
    f"In {GARAY_DIGIT * 4}-{GARAY_DIGIT * 2} or {GARAY_DIGIT}:30",
    f"PR-{GARAY_DIGIT}, v{GARAY_DIGIT}.2, a{GARAY_DIGIT}b",
    "½ of ② and Ⅷ, ௰, 四",
    "7" * 5000 + " million",
    "7" * 5000 + "th of May",
    "7" * 5000 + ".5k",
]


@pytest.mark.parametrize("text", STRANGE)
def test_unknown_characters_are_kept_and_verified_unchanged(text: str) -> None:
    assert not Evidence([text]).missing(find_values(text))
    other = text.replace("7", "8").replace(GARAY_DIGIT, "9")
    Evidence([other]).missing(find_values(text))
    check_sentence(f"Counted {text}.", Call("count", text, text))
    found = Faithfulness([text], (), 1.0, 1.0)
    assert with_inherited(found, text, [text]).unsupported == [text]


async def test_unusual_digits_delay_neither_a_conversation_nor_its_day(stack: Stack) -> None:
    moment = at("2026-04-14T12:00")
    words = [f"Emi counted crates: {text[:4500]} on shelf {n}." for n, text in enumerate(STRANGE)]
    for number in range(12):
        message = said(moment.strftime("%Y-%m-%dT%H:%M"), instance="home")
        message.content = words[number % len(words)]
        await append(stack, message)
    assert set((await compact_everything(stack, ExtractiveComposer())).values()) <= {"done"}
    ended = await roll_up_everything(stack, ExtractiveComposer(), at("2027-03-01T00:00"))
    assert set(ended.values()) == {"done"}
    levels = {node.level for node in await listed(stack)}
    assert {LEAF, DAY} <= levels
    for text in STRANGE:
        query = search_service_pb2.SearchRequest(query=text[:500])
        await stack.search.Search(query)
    report = await stack.maintenance.AuditSummaries(pb.AuditSummariesRequest())
    assert report.audited == len(await listed(stack))


def test_unreadable_source_supports_nothing_and_fails_no_check(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read = Evidence._add_text

    def failing(self: Evidence, text: str) -> None:
        if "poison" in text:
            raise ValueError("not a decimal")
        read(self, text)

    monkeypatch.setattr(Evidence, "_add_text", failing)
    sources = [source("poison 4711", 1), source("It was 42.", 2)]
    found = check_faithfulness("It was 42.", sources, time_zone="UTC")
    assert found.faithful
    found = check_faithfulness("It was 42 and 4711.", sources, time_zone="UTC")
    assert found.unsupported == ["4711"]
    assert "text not parsed" in caplog.text


def test_lost_lease_ends_a_check_at_any_step(caplog: pytest.LogCaptureFixture) -> None:
    sources = [source("It was 41.", 1), source("It was 42.", 2)]
    beats: list[int] = []

    def until(last: int) -> None:
        beats.append(1)
        if len(beats) > last:
            raise LeaseLost

    check_faithfulness("It was 42.", sources, time_zone="UTC", heartbeat=partial(until, 100))
    for last in range(len(beats)):
        beats.clear()
        with pytest.raises(LeaseLost):
            check_faithfulness(
                "It was 42.", sources, time_zone="UTC", heartbeat=partial(until, last)
            )
    assert last >= 3
    assert "text not checked" not in caplog.text


def test_node_that_cannot_be_checked_is_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> object:
        raise ValueError("not a decimal")

    for name in ("find_values", "check_tags"):
        monkeypatch.setattr(faithfulness, name, fail)
    monkeypatch.setattr(coverage, "_stems", fail)
    found = check_faithfulness("It was 42.", [source("It was 42.")], time_zone="UTC")
    assert not found.faithful
    assert found.unsupported == [faithfulness.UNREADABLE]


def test_values_nested_deep_in_json_are_recognised() -> None:
    nested = "[" * 400 + '"pump_42"' + "]" * 400
    assert not check_sentence("Started pump_42 again.", Call("start", nested, "{}"))


def test_defused_text_contains_no_nested_tags() -> None:
    for text in ("[chat:a]", "[chat:[via:a]]", "[chat:[chat:[via:a]]]", "[via:[chat:a\\]]"):
        assert tags_in(text)
        assert not tags_in(defuse_tags(text))
    assert tags_in(render_tag("via", "[chat:a] and b")) == [("via", "[chat:a] and b")]


# AuditSummaries


async def test_audit_page_ends_at_its_source_size_limit(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    await append(stack, *[f"Emi mended pump {n}. " + "x " * 500 for n in range(40)])
    await compact_everything(stack, ExtractiveComposer())
    leaves = len(await listed(stack))
    assert leaves == 4
    monkeypatch.setattr(audit_summaries, "MAX_PAGE_BYTES", 25_000)
    pages, request = list[int](), pb.AuditSummariesRequest()
    while True:
        page = await stack.maintenance.AuditSummaries(request)
        pages.append(page.audited)
        request.page_token = page.next_page_token
        if not page.next_page_token:
            break
    assert pages == [2, 2]
    monkeypatch.setattr(audit_summaries, "MAX_PAGE_BYTES", 10)
    page = await stack.maintenance.AuditSummaries(pb.AuditSummariesRequest())
    assert (page.audited, bool(page.next_page_token)) == (1, True)


async def test_audit_page_ends_at_half_of_its_deadline(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    await append(stack, *[f"Emi mended pump {n}." for n in range(30)])
    await compact_everything(stack, ExtractiveComposer())

    def slow(*arguments: object, **fields: object) -> Faithfulness:
        time.sleep(1.0)
        return Faithfulness((), (), 1.0, 1.0)

    monkeypatch.setattr(audit_summaries, "check_faithfulness", slow)
    page = await stack.maintenance.AuditSummaries(pb.AuditSummariesRequest(), timeout=4.0)
    assert 1 <= page.audited < 3
    assert page.next_page_token


async def test_audit_of_long_messages_does_not_block_the_event_loop(stack: Stack) -> None:
    """One call of `re` over a megabyte once blocked the event loop for seconds."""
    await append(stack, "Emi said 4711. " + "[chat:" * 100_000)
    await compact_everything(stack, ScriptedComposer())
    call = stack.maintenance.AuditSummaries(pb.AuditSummariesRequest(), timeout=120)
    held, audit = list[float](), asyncio.ensure_future(call)
    while not audit.done():
        # CPU time of this thread only, since other tests may use the processor meanwhile.
        began = time.thread_time()
        await asyncio.sleep(0.005)
        held.append(time.thread_time() - began)
    assert (await audit).audited >= 1
    # About 20 ms; before the fix, at least two seconds.
    assert max(held) < 1.0


async def test_day_summary_reads_long_messages_completely(stack: Stack) -> None:
    message = said("2026-04-14T12:00")
    message.content = "Emi mended the pump. " + "x" * 40_000 + " Tom left for Lisbon."
    message.tool_name, message.tool_result = "grep", "y" * 40_000 + " Ana stayed."
    await append(stack, message)
    drafts: list[Draft] = []
    composer = ScriptedComposer(on_compose=drafts.append)
    await roll_up_everything(stack, composer, at("2026-04-20T00:00"))
    [text] = [draft.sources[0].text for draft in drafts if draft.level is Level.DAY]
    assert text == f"{message.content}\ngrep\n{message.tool_result}"

"""Decisions and corrections reach users of the RPCs at default settings, without a language model."""

from __future__ import annotations

from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import memory_pb2, search_service_pb2
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.calendar_calls import at, said
from support.calls import append, message
from support.coding_talks import EXPORTS, EXPORTS_PLANTED, PRICES, PRICES_PLANTED, Points, Talk
from support.compaction import compact_everything, roll_up_everything
from support.stack import Stack

ROLES = {"user": memory_pb2.ROLE_USER, "assistant": memory_pb2.ROLE_ASSISTANT}
#: A companion's week: the date is given on Monday and corrected on Thursday.
WEEK = (
    ("2026-03-02T18:10", "Guess what, I signed up for the race in Porto with Clara. It is on the 14th of March."),
    ("2026-03-02T18:14", "We still have to find a hotel near the river, because the start is at seven."),
    ("2026-03-03T07:55", "Slept badly, the neighbours had a party again until half past two in the morning."),
    ("2026-03-04T19:20", "I ran twelve kilometres today, my knee was fine and I even enjoyed the hill."),
    ("2026-03-05T12:31", "I got the date wrong, by the way: the race is on the 21st, not the 14th."),
    ("2026-03-06T20:02", "Clara booked the hotel, it costs 96 euros a night and they have breakfast from five."),
)  # fmt: skip


async def flushed_text(stack: Stack, talk: Talk) -> str:
    """Append a talk, and return the summaries that take its place in an agent's context."""
    messages = [message(text, role=ROLES[role]) for role, text in talk]
    conversation_id = (await append(stack, *messages)).conversation_id
    await stack.maintenance.Compact(pb.CompactRequest())
    await compact_everything(stack, ExtractiveComposer())
    request = pb.FlushConversationRequest(
        conversation_id=conversation_id, context_size=1_000, notes_saved=True, keep_recent=0
    )
    flushed = await stack.maintenance.FlushConversation(request, timeout=90)
    assert flushed.action == pb.FLUSH_ACTION_REPLACE
    assert not any(summary.faithfulness.incomplete for summary in flushed.summaries)
    return "\n".join(summary.content for summary in flushed.summaries)


def kept(points: Points, text: str) -> int:
    return sum(any(all(p in line for p in point) for line in text.splitlines()) for point in points)


async def test_flush_keeps_decisions_tasks_and_causes_of_a_coding_talk(stack: Stack) -> None:
    assert kept(EXPORTS_PLANTED, await flushed_text(stack, EXPORTS)) >= 10


async def test_flush_keeps_decisions_tasks_and_causes_of_another_coding_talk(stack: Stack) -> None:
    assert kept(PRICES_PLANTED, await flushed_text(stack, PRICES)) >= 10


async def test_week_names_the_corrected_date(stack: Stack) -> None:
    for moment, text in WEEK:
        await append(stack, said(moment, text))
    await roll_up_everything(stack, ExtractiveComposer(), at("2026-03-10T12:00"))
    request = search_service_pb2.ListSummariesRequest()
    listed = await stack.search.ListSummaries(request)
    [week] = [each for each in listed.summaries if each.name == "2026-W10"]
    lines = [line for line in week.content.splitlines() if "14th" in line or "21st" in line]
    assert lines
    assert all("21st" in line for line in lines)
    assert week.faithfulness.decision_coverage > 0
    assert not week.needs_review

"""Protected messages and phases of work stay whole: in a flush, and in leaves. Default settings, no model."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from everword.domain.compaction import CompactionSettings
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import memory_pb2
from everword.v1.search_service_pb2 import ListSummariesRequest
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.conversations.model import CompactedConversation, WaitingMessage
from everword_compactor.conversations.plan import LeafPlan, plan_leaf
from support.calls import append, message
from support.compaction import compact
from support.stack import Stack

NOON = datetime(2026, 4, 18, 12, 0, tzinfo=UTC)
RULE = (
    "Never run the migration on orders-db while the nightly export is running. The export starts at 01:10 and ends "
    "before 02:30.\n\n    ./migrate --dry-run --db orders\n\nIf it hangs, page Ines first, then roll back with "
    "./migrate --down 0042."
)
STEPS = [
    "I looked at the slow checkout page and found that the query on order_items has no index on order_id, so each "
    "page load scans about 1.2 million rows in the replica.",
    "Added the index concurrently on the replica first. It took eleven minutes and the load average stayed below 3, "
    "so we can do the same on the primary tomorrow morning.",
    "The checkout page now needs 80 milliseconds instead of 2.4 seconds. The next step is to remove the cache that "
    "we had put in front of it, because it hides price changes for an hour.",
]


def step(number: int, phase: str = "", **fields: object) -> memory_pb2.NewMessage:
    """Return message `number` of a written log of work, of a phase if one is given."""
    made = message(f"Step {number}. {STEPS[number % 3]}", **fields)
    if phase:
        made.metadata.update({"phase": phase})
    return made


def protected() -> memory_pb2.NewMessage:
    made = message(RULE)
    made.metadata.update({"protected": True})
    return made


async def flush(
    stack: Stack, conversation_id: str, size: int = 1_000
) -> pb.FlushConversationResponse:
    request = pb.FlushConversationRequest(
        conversation_id=conversation_id, context_size=size, notes_saved=True
    )
    call = asyncio.ensure_future(stack.maintenance.FlushConversation(request, timeout=60))
    while not call.done():
        await asyncio.to_thread(compact, stack.database, ExtractiveComposer())
        await asyncio.sleep(0.1)
    return await call


async def leaves(stack: Stack) -> list[str]:
    listed = await stack.search.ListSummaries(ListSummariesRequest())
    return [summary.content for summary in listed.summaries if summary.level == 1]


async def test_flush_keeps_messages_whose_metadata_protects_them(stack: Stack) -> None:
    stored = await append(
        stack, *map(step, range(12)), protected(), *map(step, range(13, 32)), step(33)
    )
    flushed = await flush(stack, stored.conversation_id)
    assert flushed.action == pb.FLUSH_ACTION_REPLACE
    assert flushed.replaced_through_seq == 27
    assert list(flushed.kept_message_ids) == [stored.messages[12].message_id]
    assert not flushed.in_doubt_message_ids


async def test_leaf_has_the_whole_text_of_protected_messages(stack: Stack) -> None:
    await append(stack, *map(step, range(4)), protected(), *map(step, range(5, 10)))
    compact(stack.database, ExtractiveComposer())
    [leaf] = await leaves(stack)
    for line in filter(None, map(str.strip, RULE.splitlines())):
        assert line in leaf
    assert leaf.count("Never run the migration") == 1
    assert "Step" in leaf or "checkout" in leaf


async def test_leaf_of_protected_messages_alone_is_their_text(stack: Stack) -> None:
    await append(stack, protected())
    compact(stack.database, ExtractiveComposer(), datetime.now(UTC) + timedelta(days=5))
    [leaf] = await leaves(stack)
    assert "./migrate --dry-run --db orders" in leaf


async def test_flush_keeps_the_phase_of_the_latest_messages_whole(stack: Stack) -> None:
    done = [step(n, "research") for n in range(12)]
    current = [step(n, "build") for n in range(12, 22)]
    conversation_id = (await append(stack, *done, *current)).conversation_id
    flushed = await flush(stack, conversation_id)
    # Ten messages stay, not six: "build" has not ended.
    assert (flushed.action, flushed.replaced_through_seq) == (pb.FLUSH_ACTION_REPLACE, 12)
    await append(stack, *[step(n, "review") for n in range(22, 30)])
    later = await flush(stack, conversation_id)
    assert later.replaced_through_seq == 22


async def test_flush_splits_a_phase_that_fills_more_than_half_of_the_context(stack: Stack) -> None:
    steps = [step(n, "build") for n in range(30)]
    conversation_id = (await append(stack, *steps)).conversation_id
    flushed = await flush(stack, conversation_id)
    assert flushed.replaced_through_seq == 24


def plan(phases: str, *, rested: bool = False, wanted: int = 0) -> LeafPlan:
    """Plan a leaf of messages whose phases are letters, or none for a dot."""
    settings = CompactionSettings()
    conversation = CompactedConversation(UUID(int=1), "", "", "", "", len(phases), 0, wanted)
    waiting = [
        WaitingMessage(n, NOON, 100, phase.strip("."))
        for n, phase in enumerate(phases[:20], start=1)
    ]
    return plan_leaf(conversation, waiting, settings, NOON + timedelta(hours=rested))


@pytest.mark.parametrize(
    ("phases", "size"),
    [
        ("." * 10, 10),
        ("." * 25, 10),
        ("a" * 6 + "b" * 6, 6),
        ("..." + "a" * 10 + ".", 13),
        ("a" * 14 + "b", 14),
        # Longer phases are split.
        ("a" * 20, 10),
        # These may go on.
        ("a" * 10, 0),
        ("..." + "a" * 9, 0),
    ],
)
def test_leaf_ends_between_phases(phases: str, size: int) -> None:
    decided = plan(phases)
    assert len(decided.seqs) == size
    assert decided.through == (size or None)


def test_unfinished_phase_is_summarised_after_a_rest_or_on_request() -> None:
    assert plan("..." + "a" * 9).due_at == NOON + timedelta(minutes=15)
    assert len(plan("..." + "a" * 9, rested=True).seqs) == 12
    assert len(plan("a" * 12, wanted=12).seqs) == 10
    assert len(plan("a" * 5, wanted=5).seqs) == 5

"""Channels that are summarised separately before they enter a day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everword.domain.periods import Calendar
from everword.v1 import admin_service_pb2 as admin
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Composition, Draft, Level, Voice
from support.calendar_calls import at, said, say_in, update_settings
from support.calendar_checks import check_calendar, node_of, pending
from support.calls import append
from support.compaction import ScriptedComposer, roll_up
from support.dag import DAY
from support.stack import Stack

UTC_CALENDAR = Calendar("UTC", 0)


async def speak_as(stack: Stack, **voice: Any) -> None:
    await update_settings(stack, voice=admin.Voice(**voice))


async def test_channel_with_digest_policy_is_summarised_before_the_day(stack: Stack) -> None:
    policy = admin.ChannelPolicy(index=True, roll_up=True, digest=True)
    await update_settings(stack, channel_policies={"discord": policy})
    facts = ["Ada moved to Turin.", "Bo sold the red boat.", "Cem passed the exam."]
    chat = await say_in(
        stack,
        "discord",
        *[said(f"2026-04-14T1{n}:00", fact, instance="psy") for n, fact in enumerate(facts)],
    )
    await append(stack, said("2026-04-14T11:30", "Dora met Iva.", instance="psy"))
    await speak_as(stack, identity="I am Lumen.", user_name="Emi", pronouns="she/her")
    composer = ScriptedComposer()
    roll_up(stack.database, composer, at("2026-04-16T00:00"))
    digest, day = composer.drafts
    assert (digest.channel, digest.level, len(digest.sources)) == ("discord", Level.DAY, 3)
    assert digest.voice == day.voice == Voice("I am Lumen.", "Emi", "she/her")
    assert [source.channel for source in day.sources] == ["discord", ""]
    assert day.sources[0].text.startswith("# discord\n")
    assert day.sources[0].message_count == 3
    dag = check_calendar(stack.database, UTC_CALENDAR)
    node = node_of(dag, DAY, "2026-04-14", "psy")
    # The messages themselves are its sources, in the order in which they happened.
    assert [entry["content"] for entry in node.messages] == [*facts[:2], "Dora met Iva.", facts[2]]
    assert str(node.messages[0]["conversation_id"]) == chat

    class Newer(ExtractiveComposer):
        model = "newer"

    roll_up(stack.database, Newer(), at("2026-04-16T00:00"))
    node = node_of(check_calendar(stack.database), DAY, "2026-04-14", "psy")
    assert "[chat:discord-psy-2026-04-14]" in node.content
    assert chat not in node.content


async def test_small_model_writes_digests_and_large_model_writes_days(stack: Stack) -> None:
    policy = admin.ChannelPolicy(index=True, roll_up=True, digest=True)
    await update_settings(stack, channel_policies={"discord": policy})
    await say_in(stack, "discord", said("2026-04-14T12:00", "Ada moved to Turin."))
    await append(stack, said("2026-04-14T11:30", "Dora met Iva."))
    small, large = ScriptedComposer(), ScriptedComposer()
    roll_up(stack.database, large, at("2026-04-15T12:00"), digests=small)
    [digest] = small.drafts
    assert [source.text for source in digest.sources] == ["Ada moved to Turin."]
    day = large.drafts[0]
    assert [source.channel for source in day.sources] == ["", "discord"]
    assert digest not in large.drafts
    # The day's node records the model that wrote it, and that model decides whether the node is outdated.
    roll_up(stack.database, large, at("2026-04-15T12:00"), digests=small)
    assert len(small.drafts) == 1


async def test_channel_digests_are_grouped_by_server(stack: Stack) -> None:
    said_in = {
        "discord/Bakers/rye": ["Gil baked 12 loaves."],
        "discord/Gardeners/general": ["Ada moved to Turin.", "Bo sold the red boat."],
        "discord/Gardeners/seeds\n# Fake": ["Cem ordered beans."],
        "mail": ["Dora wrote to Iva."],
    }
    policy = admin.ChannelPolicy(index=True, roll_up=True, digest=True)
    await update_settings(stack, channel_policies=dict.fromkeys(said_in, policy))
    instructions = {channel: f"About {channel[:12]}." for channel in said_in}
    await speak_as(stack, identity="I am Lumen.", channel_instructions=instructions)
    for hour, (channel, facts) in enumerate(said_in.items()):
        messages = [said(f"2026-04-14T1{hour}:00", fact, instance="psy") for fact in facts]
        await say_in(stack, channel, *messages)
    drafts: list[Draft] = []

    class Watched(ExtractiveComposer):
        def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
            drafts.append(draft)
            return super().compose(draft, heartbeat)

    roll_up(stack.database, Watched(), at("2026-04-15T12:00"))
    *digests, day = drafts[:5]
    assert [draft.channel for draft in digests] == sorted(said_in)
    assert all(draft.instructions.endswith(instructions[draft.channel]) for draft in digests)
    tag = "[chat:discord/Gardeners/{}-psy-2026-04-14] [via:psy]"
    assert day.sources[1].text.splitlines() == [
        "# discord/Gardeners",
        "## general",
        f"[2026-04-14T11:00Z] {tag.format('general')}",
        "- user: Ada moved to Turin.",
        "  Bo sold the red boat.",
        "## seeds # Fake",
        f"[2026-04-14T12:00Z] {tag.format('seeds # Fake')}",
        "- user: Cem ordered beans.",
    ]
    assert [source.channel for source in day.sources] == [
        "discord/Bakers",
        "discord/Gardeners",
        "mail",
    ]
    assert [source.message_count for source in day.sources] == [1, 3, 1]
    node = node_of(check_calendar(stack.database), DAY, "2026-04-14", "psy")
    assert len(node.messages) == 5
    for facts in said_in.values():
        assert all(fact in node.content for fact in facts)
    assert not node.needs_review


async def test_failed_digest_leaves_the_day_pending(stack: Stack) -> None:
    def fail(draft: Draft) -> None:
        if draft.channel == "discord":
            raise RuntimeError("broken")

    policy = admin.ChannelPolicy(index=True, roll_up=True, digest=True)
    await update_settings(stack, channel_policies={"discord": policy})
    await say_in(stack, "discord", said("2026-04-14T12:00"))
    await append(stack, said("2026-04-14T11:30"))
    roll_up(stack.database, ScriptedComposer(on_compose=fail), at("2026-04-16T00:00"))
    assert not check_calendar(stack.database, UTC_CALENDAR).nodes
    assert pending(stack.database) == ["day/2026-04-14"]

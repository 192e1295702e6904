"""Messages are summarised in days, days in weeks, weeks in months, months in years."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from everword.chat.errors import BadAnswer
from everword.domain.periods import Calendar
from everword.v1 import admin_service_pb2 as admin
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Draft, Level
from support.calendar_calls import at, revisions, said, say_in, update_settings
from support.calendar_checks import MONTH, WEEK, YEAR, check_calendar, node_of, pending
from support.calls import append
from support.compaction import ScriptedComposer, roll_up, roll_up_everything
from support.dag import DAY
from support.stack import Stack

UTC_CALENDAR = Calendar("UTC", 0)


async def test_ended_periods_are_summarised_at_every_level(stack: Stack) -> None:
    await append(
        stack, said("2026-04-17T12:00"), said("2026-04-18T09:00"), said("2026-04-18T23:59")
    )
    roll_up(stack.database, now=at("2026-04-18T03:59"))
    assert not check_calendar(stack.database, UTC_CALENDAR).nodes
    roll_up(stack.database, now=at("2026-04-18T04:00"))
    [first] = check_calendar(stack.database, UTC_CALENDAR).nodes.values()
    assert (first.level, first.title, first.message_count) == (DAY, "2026-04-17", 1)
    roll_up(stack.database, now=at("2027-02-01T00:00"))
    dag = check_calendar(stack.database, UTC_CALENDAR)
    year = node_of(dag, YEAR, "2026-01-01")
    assert (len(dag.nodes), year.message_count, year.title) == (5, 3, "2026")
    assert node_of(dag, WEEK, "2026-04-13").title == "2026-W16"
    assert not pending(stack.database)
    second = node_of(dag, DAY, "2026-04-18")
    assert second.previous_id == first.id


async def test_second_roll_up_composes_nothing(stack: Stack) -> None:
    await append(stack, said("2026-04-17T12:00"))
    now, composer = at("2027-02-01T00:00"), ScriptedComposer()
    roll_up(stack.database, composer, now)
    assert [draft.level for draft in composer.drafts] == [4, 5, 6, 7]
    roll_up(stack.database, composer, now)
    assert len(composer.drafts) == 4
    assert set(revisions(stack).values()) == {1}


async def test_periods_end_at_day_cutoff_in_time_zone(stack: Stack) -> None:
    await update_settings(stack, time_zone="Europe/Zurich", day_cutoff_minutes=300)
    # 04:30 on Monday 30 March, after a change of clocks: still Sunday for the calendar.
    await append(stack, said("2026-03-30T02:30"), said("2026-03-30T03:30"))
    zurich = Calendar("Europe/Zurich", 300)
    roll_up(stack.database, now=at("2026-03-30T02:59"))
    assert not check_calendar(stack.database, zurich).nodes
    roll_up(stack.database, now=at("2026-03-30T03:00"))
    dag = check_calendar(stack.database, zurich)
    # March has ended too: the week of the 30th belongs to April.
    titles = {node.title for node in dag.nodes.values()}
    assert titles == {"2026-03-29", "2026-W13", "2026-03"}
    assert pending(stack.database) == ["day/2026-03-30", "year/2026"]


async def test_change_of_time_zone_keeps_earlier_messages_in_their_days(stack: Stack) -> None:
    await append(stack, said("2026-04-17T23:30"))
    roll_up(stack.database, now=at("2026-04-20T12:00"))
    await append(stack, said("2026-04-17T23:40"))
    await update_settings(stack, time_zone="Asia/Tokyo", day_cutoff_minutes=300)
    await append(stack, said("2026-04-17T23:50"))
    roll_up(stack.database, now=at("2027-04-20T12:00"))
    dag = check_calendar(stack.database)
    assert node_of(dag, DAY, "2026-04-17").message_count == 2
    assert node_of(dag, DAY, "2026-04-18").message_count == 1


async def test_missed_periods_are_composed_in_date_order(stack: Stack) -> None:
    days = [datetime(2026, 1, 5, 12, tzinfo=UTC) + timedelta(days=n) for n in (30, 3, 9, 0, 17)]
    for moment in days:
        await append(stack, said(f"{moment:%Y-%m-%dT%H:%M}"))
    composer = ScriptedComposer()
    roll_up(stack.database, composer, at("2026-02-10T00:00"))
    written = [(draft.level, draft.title) for draft in composer.drafts]
    levels = {level: [title for at_, title in written if at_ == level] for level in Level}
    for titles in levels.values():
        assert titles == sorted(titles)
    assert levels[Level.DAY] == sorted(f"{moment:%Y-%m-%d}" for moment in days)
    # Nodes are written after their sources.
    assert [level for level, _ in written] == sorted(level for level, _ in written)
    check_calendar(stack.database, UTC_CALENDAR)


async def test_late_message_rewrites_only_its_periods(stack: Stack) -> None:
    for day in ("2025-06-10", "2026-01-07", "2026-01-08", "2026-01-20", "2026-03-04"):
        await append(stack, said(f"{day}T12:00"))
    now = at("2027-06-01T00:00")
    roll_up(stack.database, now=now)
    before = revisions(stack)
    assert set(before.values()) == {1}
    await append(stack, said("2026-01-08T01:00", "It came late."), session_key="other")
    assert pending(stack.database) == ["day/2026-01-08"]
    roll_up(stack.database, now=now)
    dag = check_calendar(stack.database, UTC_CALENDAR)
    touched = {name for name, revision in revisions(stack).items() if revision > 1}
    assert touched == {"2026-01-08", "2026-W02", "2026-01", "2026"}
    assert all(revision <= 2 for revision in revisions(stack).values())
    late = node_of(dag, DAY, "2026-01-08")
    assert late.messages[0]["content"] == "It came late."
    assert not any(node.stale for node in dag.nodes.values())


async def test_days_are_composed_per_instance_and_joined_in_weeks(stack: Stack) -> None:
    facts = ["Ada moved to Turin", "Bo sold the red boat", "Cem passed the exam", "Dora met Iva"]
    for instance in ("phone", "desk"):
        for hour, fact in enumerate(facts, start=10):
            moment = f"2026-04-14T{hour}:00"
            await append(stack, said(moment, f"{fact} on the {instance}.", instance=instance))
    await append(stack, said("2026-04-15T13:00", instance="desk"))
    await roll_up_everything(stack, ExtractiveComposer(), at("2026-04-21T00:00"))
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert node_of(dag, DAY, "2026-04-14", "phone").message_count == 4
    assert node_of(dag, DAY, "2026-04-14", "desk").message_count == 4
    week = node_of(dag, WEEK, "2026-04-13")
    assert len(week.children) == 3
    day = node_of(dag, DAY, "2026-04-14", "phone")
    conversation_id = day.messages[0]["conversation_id"]
    assert f"[chat:{conversation_id}]" in day.content
    assert "[via:phone]" in day.content
    assert "[via:phone]" in week.content or "[via:desk]" in week.content
    assert "[chat:" not in week.content


async def test_automated_empty_and_excluded_channel_messages_enqueue_no_days(
    stack: Stack,
) -> None:
    policies = {"news": admin.ChannelPolicy(index=True, roll_up=False)}
    await update_settings(stack, channel_policies=policies)
    await append(stack, said("2026-04-14T12:00", automated=True), said("2026-04-14T13:00", "  "))
    await say_in(stack, "news", said("2026-04-14T12:00"))
    assert pending(stack.database) == []


async def test_failed_day_part_stays_pending_and_other_periods_are_composed(stack: Stack) -> None:
    def fail(draft: Draft) -> None:
        if draft.instance == "broken" and draft.title == "2026-04-14":
            raise BadAnswer("no good", "malformed")

    await append(
        stack,
        said("2026-04-14T12:00", instance="broken"),
        said("2026-04-14T13:00", instance="whole"),
        said("2026-04-15T13:00", instance="broken"),
    )
    composer = ScriptedComposer(on_compose=fail)
    now = at("2026-04-21T00:00")
    roll_up(stack.database, composer, now)
    dag = check_calendar(stack.database, UTC_CALENDAR)
    days = {(node.title, node.instance) for node in dag.of_level(DAY)}
    assert days == {("2026-04-14", "whole"), ("2026-04-15", "broken")}
    # A failed day does not block its week for good.
    assert node_of(dag, WEEK, "2026-04-13").message_count == 2
    assert pending(stack.database) == ["day/2026-04-14", "month/2026-04"]
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT subject, state FROM jobs WHERE task = 'roll-up'").fetchall()
        assert ("day/2026-04-14", "failed") in rows
        conn.execute("UPDATE jobs SET updated_at = now() - interval '7 hours'")
    roll_up(stack.database, ScriptedComposer(), now)
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert node_of(dag, WEEK, "2026-04-13").message_count == 3
    assert pending(stack.database) == ["month/2026-04"]


async def test_extractive_nodes_are_replaced_by_model_and_not_vice_versa(
    stack: Stack,
) -> None:
    await append(stack, said("2026-04-14T12:00"), said("2026-04-15T12:00"))
    now = at("2027-04-21T00:00")
    roll_up(stack.database, ExtractiveComposer(), now)
    first = check_calendar(stack.database, UTC_CALENDAR)
    assert {node.model for node in first.nodes.values()} == {"extractive"}
    roll_up(stack.database, ScriptedComposer(), now)
    second = check_calendar(stack.database, UTC_CALENDAR)
    assert {node.model for node in second.nodes.values()} == {"scripted"}
    assert first.nodes.keys() == second.nodes.keys()
    assert set(revisions(stack).values()) == {2}
    roll_up(stack.database, ExtractiveComposer(), now)
    assert set(revisions(stack).values()) == {2}
    roll_up(stack.database, ScriptedComposer(version=2), now)
    assert {node.prompt_version for node in check_calendar(stack.database).nodes.values()} == {2}


async def test_without_model_only_periods_with_late_messages_become_extractive(
    stack: Stack,
) -> None:
    await append(stack, said("2026-04-14T12:00"), said("2026-04-15T12:00"))
    now = at("2027-04-21T00:00")
    roll_up(stack.database, ScriptedComposer(), now)
    await append(stack, said("2026-04-14T13:00", "It came late."), session_key="other")
    roll_up(stack.database, ExtractiveComposer(), now)
    dag = check_calendar(stack.database, UTC_CALENDAR)
    late = node_of(dag, DAY, "2026-04-14")
    assert (late.model, late.message_count) == ("extractive", 2)
    assert node_of(dag, WEEK, "2026-04-13").message_count == 3
    assert node_of(dag, DAY, "2026-04-15").model == "scripted"
    roll_up(stack.database, ScriptedComposer(), now)
    nodes = check_calendar(stack.database, UTC_CALENDAR).nodes
    assert {node.model for node in nodes.values()} == {"scripted"}


async def test_node_from_sources_that_need_review_needs_review(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00", "It was 42 in all."))
    composer = ScriptedComposer(invented="level 4:")
    roll_up(stack.database, composer, at("2026-04-21T00:00"))
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert node_of(dag, DAY, "2026-04-14").needs_review
    assert node_of(dag, WEEK, "2026-04-13").needs_review


async def test_roll_up_job_subjects_contain_no_message_content(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00", "secret", instance="secret"))
    roll_up(stack.database, now=at("2027-04-21T00:00"))
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT subject FROM jobs WHERE task = 'roll-up' ORDER BY id")
        assert [subject for (subject,) in rows] == [
            "day/2026-04-14",
            "week/2026-W16",
            "month/2026-04",
            "year/2026",
        ]


@pytest.mark.parametrize("level", [DAY, WEEK, MONTH, YEAR])
async def test_roll_up_after_failure_at_any_level_loses_no_messages(
    stack: Stack, level: int
) -> None:
    def stop(draft: Draft) -> None:
        if draft.level == level:
            raise RuntimeError("stopped")

    await append(stack, said("2026-04-14T12:00"), said("2026-04-16T12:00"))
    now = at("2027-04-21T00:00")
    roll_up(stack.database, ScriptedComposer(on_compose=stop), now)
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert not dag.of_level(level)
    assert pending(stack.database)
    with stack.database.connect() as conn:
        conn.execute("UPDATE jobs SET updated_at = now() - interval '7 hours'")
    roll_up(stack.database, ScriptedComposer(), now)
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert not pending(stack.database)
    assert node_of(dag, YEAR, "2026-01-01").message_count == 2

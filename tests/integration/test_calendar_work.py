"""Voices, digests, requests for roll-ups, two workers at once, and random streams."""

from __future__ import annotations

import asyncio
import random
import threading
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from everword.db import blocking
from everword.db.blocking import BlockingDatabase
from everword.domain.periods import Calendar
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import maintenance_service_pb2 as maintenance
from everword_compactor.calendar.schedule import schedule_roll_ups
from everword_compactor.compose.model import Draft, Voice
from support.calendar_calls import at, revisions, said, say_in, update_settings
from support.calendar_checks import WEEK, YEAR, check_calendar, node_of, pending
from support.calls import append, message
from support.compaction import ScriptedComposer, compact, current, roll_up
from support.dag import DAY
from support.databases import DatabaseUnderTest
from support.earlier import earlier
from support.refusals import refused
from support.stack import Stack

UTC_CALENDAR = Calendar("UTC", 0)


async def ask(stack: Stack, **fields: Any) -> int:
    return (await stack.maintenance.RollUp(maintenance.RollUpRequest(**fields))).periods


# RollUp and Backfill


def forget_what_is_pending(stack: Stack) -> None:
    """Return the database to a state before the calendar existed."""
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM calendar_pending")


async def test_roll_up_enqueues_messages_missing_from_calendar(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00", instance="phone"), said("2026-05-14T12:00"))
    await append(stack, said("2026-04-14T13:00"), session_key="other")
    await append(stack, said("2026-04-14T14:00", automated=True))
    forget_what_is_pending(stack)
    # 2 days, 2 weeks, 2 months; the year has not ended.
    assert await ask(stack, dry_run=True) == 6
    assert pending(stack.database) == []
    assert await ask(stack, end_date="2026-05-01") == 3
    assert pending(stack.database) == ["day/2026-04-14"]
    assert await ask(stack, start_date="2026-05-14") == 3
    assert await ask(stack) == 6
    roll_up(stack.database, now=at("2027-03-01T00:00"))
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert node_of(dag, YEAR, "2026-01-01").message_count == 3
    before = revisions(stack)
    assert await ask(stack) == 0
    roll_up(stack.database, now=at("2027-03-01T00:00"))
    assert revisions(stack) == before


async def test_concurrent_roll_up_requests_assign_each_message_to_one_day(stack: Stack) -> None:
    await append(stack, *[said(f"2026-04-{day}T12:00") for day in range(10, 20)])
    forget_what_is_pending(stack)
    await asyncio.gather(*(ask(stack) for _ in range(4)))
    roll_up(stack.database, now=at("2026-06-01T00:00"))
    check_calendar(stack.database, UTC_CALENDAR)


async def test_a_backfill_enqueues_days_up_to_its_limit(stack: Stack) -> None:
    await append(stack, *[said(f"2026-04-{day}T12:00") for day in range(10, 20)])
    compact(stack.database)
    forget_what_is_pending(stack)
    request = maintenance.BackfillRequest(target=maintenance.BACKFILL_TARGET_SUMMARIES, limit=4)
    assert (await stack.maintenance.Backfill(request)).items == 4
    assert len(pending(stack.database)) == 4
    request.limit = 0
    assert (await stack.maintenance.Backfill(request)).items == 6
    assert (await stack.maintenance.Backfill(request)).items == 0


async def test_roll_up_request_retries_parked_jobs(stack: Stack) -> None:
    def fail(draft: Draft) -> None:
        raise RuntimeError("broken")

    await append(stack, said("2026-04-14T12:00"))
    roll_up(stack.database, ScriptedComposer(on_compose=fail), at("2026-04-16T00:00"))
    assert await ask(stack) == 3
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT state, attempts FROM jobs WHERE task = 'roll-up'")
        assert rows.fetchall() == [("pending", 0)]


@pytest.mark.parametrize("field", ["start_date", "end_date"])
async def test_roll_up_refuses_invalid_dates(stack: Stack, field: str) -> None:
    for wrong in ("2026-02-30", "yesterday"):
        assert (await refused(ask(stack, **{field: wrong}))).fields == {field}


# Voices


async def test_update_changes_voice_only_if_update_mask_has_it(stack: Stack) -> None:
    await update_settings(stack, voice=admin.Voice(identity="I am Lumen.", user_name="Emi"))
    await update_settings(stack, quarantine=True)
    assert (await _voice(stack)).user_name == "Emi"
    await update_settings(stack, voice=admin.Voice(pronouns="she/her"))
    assert await _voice(stack) == admin.Voice(pronouns="she/her")
    listed = await stack.admin.ListNamespaces(admin.ListNamespacesRequest())
    assert not any(each.settings.HasField("voice") for each in listed.namespaces)


async def _voice(stack: Stack) -> admin.Voice:
    request = admin.GetNamespaceRequest(name="default")
    return (await stack.admin.GetNamespace(request)).namespace.settings.voice


async def test_voice_is_stored_and_passed_to_composer(stack: Stack) -> None:
    assert await _voice(stack) == admin.Voice()
    voice = admin.Voice(
        identity="I am Lumen.",
        user_name="Emi",
        pronouns="she/her",
        channel_instructions={"discord": "heron7 is Emi.", "mail": "Unused."},
    )
    for _ in range(2):
        await update_settings(stack, voice=voice)
    assert await _voice(stack) == voice
    await say_in(stack, "discord", said("2026-04-14T12:00"))
    composer = ScriptedComposer()
    roll_up(stack.database, composer, at("2027-03-01T00:00"))
    assert len(composer.drafts) == 4
    for draft in composer.drafts:
        assert (draft.voice.identity, draft.voice.user_name) == ("I am Lumen.", "Emi")
    assert composer.drafts[0].instructions == "discord: heron7 is Emi."


async def test_draft_has_no_voice_if_namespace_has_none(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00"))
    composer = ScriptedComposer()
    roll_up(stack.database, composer, at("2026-04-16T00:00"))
    assert composer.drafts[0].voice == Voice()


# Workers


async def test_concurrent_workers_make_one_calendar(stack: Stack) -> None:
    for day in range(1, 11):
        await append(stack, said(f"2026-04-{day:02}T12:00"), said(f"2026-04-{day:02}T13:00"))
    now = at("2027-03-01T00:00")
    failures: list[BaseException] = []

    def run() -> None:
        try:
            roll_up(stack.database, ScriptedComposer(), now)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert not failures
    roll_up(stack.database, ScriptedComposer(), now)
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert len(dag.of_level(DAY)) == 10
    assert node_of(dag, YEAR, "2026-01-01").message_count == 20
    assert not pending(stack.database)


async def test_no_transaction_is_open_while_a_node_is_composed(stack: Stack) -> None:
    def look(draft: Draft) -> None:
        with stack.database.connect() as conn:
            rows = conn.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND state LIKE 'idle in transaction%'"
            )
            assert rows.fetchone() == (0,)

    await append(stack, said("2026-04-14T12:00"))
    roll_up(stack.database, ScriptedComposer(on_compose=look), at("2027-03-01T00:00"))
    assert len(check_calendar(stack.database, UTC_CALENDAR).nodes) == 4


async def test_the_result_of_a_worker_that_lost_its_job_is_refused(stack: Stack) -> None:
    def lose(draft: Draft) -> None:
        with stack.database.connect() as conn:
            conn.execute("UPDATE jobs SET fence = fence + 1 WHERE task = 'roll-up'")

    await append(stack, said("2026-04-14T12:00"))
    roll_up(stack.database, ScriptedComposer(on_compose=lose), at("2026-04-16T00:00"))
    assert not check_calendar(stack.database, UTC_CALENDAR).nodes
    assert pending(stack.database) == ["day/2026-04-14"]


async def test_message_appended_while_day_is_composed_is_added_to_it(stack: Stack) -> None:
    loop = asyncio.get_running_loop()
    late = said("2026-04-14T13:00", "Said meanwhile.")

    def speak(draft: Draft) -> None:
        if composer.drafts == [draft]:
            asyncio.run_coroutine_threadsafe(append(stack, late), loop).result(10)

    await append(stack, said("2026-04-14T12:00"))
    composer = ScriptedComposer(on_compose=speak)
    await asyncio.to_thread(roll_up, stack.database, composer, at("2026-04-16T00:00"))
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert node_of(dag, DAY, "2026-04-14").message_count == 2
    assert revisions(stack) == {"2026-04-14": 2}


async def test_roll_up_sweep_raises_if_database_is_unavailable(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocking, "POOL_TIMEOUT_S", 0.5)
    await append(stack, said("2026-04-14T12:00"))
    before = pending(stack.database)
    settings = stack.database.settings("compactor")
    gone = DatabaseUnderTest(settings.url.replace("test_", "gone_"), "")
    assert gone.admin_url != settings.url
    away = BlockingDatabase(
        type(settings)(url=gone.admin_url, role=settings.role, pool_min=1, pool_max=2), "compactor"
    )
    away.open()
    try:
        with pytest.raises(psycopg.Error):
            schedule_roll_ups(away, current(ScriptedComposer()), lambda: datetime.now(UTC))
    finally:
        away.close()
    assert pending(stack.database) == before


# Random streams


@pytest.mark.parametrize(
    ("seed", "zone", "cutoff"),
    [
        (3, "America/Havana", 0),
        (4, "Asia/Kathmandu", 90),
        pytest.param(1, "Europe/Zurich", 300, marks=pytest.mark.long),
        pytest.param(2, "Pacific/Kiritimati", 0, marks=pytest.mark.long),
    ],
)
async def test_random_streams_with_failures_put_each_message_in_one_day(
    stack: Stack, seed: int, zone: str, cutoff: int
) -> None:
    chance = random.Random(seed)
    await update_settings(
        stack,
        time_zone=zone,
        day_cutoff_minutes=cutoff,
        channel_policies={"out": admin.ChannelPolicy(index=True, roll_up=False)},
    )
    now = at("2026-02-20T00:00")
    left_out: set[UUID] = set()

    def stumble(draft: Draft) -> None:
        if chance.random() < 0.15:
            raise RuntimeError("stumbled")

    for _ in range(12):
        now += timedelta(hours=chance.randrange(1, 240))
        for _ in range(chance.randrange(1, 5)):
            messages = []
            for _ in range(chance.randrange(1, 8)):
                age = timedelta(minutes=chance.randrange(60 * 24 * chance.choice([1, 3, 60])))
                entry = message(
                    chance.choice(["Words.", "Other words.", " "]),
                    instance=chance.choice(["phone", "desk", ""]),
                    automated=chance.random() < 0.1,
                )
                entry.create_time.FromDatetime(now - age)
                messages.append(entry)
            channel = chance.choice(["chat", "mail", "out"])
            conversation_id = await say_in(stack, channel, *messages)
            if channel == "out":
                left_out.add(UUID(conversation_id))
        roll_up(stack.database, ScriptedComposer(on_compose=stumble), now)
        check_calendar(stack.database, Calendar(zone, cutoff), sorted(left_out))
        with stack.database.connect() as conn:
            conn.execute(f"UPDATE jobs SET updated_at = {earlier('updated_at', 7 * 3600)}".encode())
    later = now + timedelta(days=500)
    roll_up(stack.database, ScriptedComposer(), later)
    dag = check_calendar(stack.database, Calendar(zone, cutoff), sorted(left_out))
    assert not pending(stack.database)
    assert dag.of_level(WEEK)

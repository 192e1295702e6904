"""Days and longer periods that the calendar has lost are made again without a call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from unittest.mock import patch

import pytest

from everword.db.pool import Database
from everword.jobs.settings import QueueSettings
from everword_compactor.calendar import catch_up
from everword_compactor.server import CompactorServer
from support.calendar_calls import at, said
from support.calendar_checks import check_calendar, pending
from support.calls import append, append_request, target
from support.compaction import roll_up
from support.dag import DAY
from support.databases import DatabaseUnderTest
from support.stack import BASE, CompactorSettings, Stack

LATER = at("2027-02-01T00:00")


async def run_catch_up(database: DatabaseUnderTest) -> None:
    opened = Database(database.settings("compactor"), "compactor")
    await opened.open()
    try:
        await catch_up.catch_up(opened)
    finally:
        await opened.close()


def delete(stack: Stack, statement: str) -> None:
    with stack.database.connect() as conn:
        conn.execute(statement.encode())


async def test_messages_that_no_day_covers_are_enqueued_for_the_days_of_their_subjects(
    stack: Stack,
) -> None:
    request = append_request(said("2026-04-14T12:00", "The boat leaves Vitznau at ten past nine."))
    request.conversation.CopyFrom(target("boat", agent="opus", subject="mira"))
    await stack.ingest.AppendMessages(request)
    await append(stack, said("2026-04-15T12:00"), said("2026-04-15T13:00", automated=True))
    queued = pending(stack.database)
    delete(stack, "DELETE FROM calendar_pending")
    await run_catch_up(stack.database)
    assert pending(stack.database) == queued
    await run_catch_up(stack.database)
    roll_up(stack.database, now=LATER)
    assert [node.message_count for node in check_calendar(stack.database).of_level(DAY)] == [1, 1]


@pytest.mark.parametrize("lost", [5, 6, 7])
async def test_period_missing_above_a_node_is_made_again(stack: Stack, lost: int) -> None:
    await append(stack, said("2026-04-14T12:00"), said("2026-05-14T12:00"))
    roll_up(stack.database, now=LATER)
    before = {node.name for node in check_calendar(stack.database).nodes.values()}
    # As after restoring a part of a backup.
    delete(
        stack,
        f"""WITH gone AS (SELECT id FROM summaries WHERE level >= {lost} AND level < 8),
                 links AS (DELETE FROM summary_sources WHERE summary_id IN (SELECT id FROM gone)
                                                          OR child_id IN (SELECT id FROM gone)),
                 passages AS (DELETE FROM memories WHERE source_id IN (SELECT id FROM gone)),
                 parents AS (UPDATE summaries SET parent_id = NULL WHERE level = {lost - 1})
            DELETE FROM summaries WHERE id IN (SELECT id FROM gone)""",
    )
    roll_up(stack.database, now=LATER)
    await run_catch_up(stack.database)
    roll_up(stack.database, now=LATER)
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT name FROM summaries WHERE level BETWEEN 4 AND 7").fetchall()
    assert {name for (name,) in rows} == before
    assert not pending(stack.database)


@asynccontextmanager
async def _compactor(database: DatabaseUnderTest) -> AsyncIterator[None]:
    settings = CompactorSettings(
        server=BASE, database=database.settings("compactor"), queue=QueueSettings(sweep_s=0.05)
    )
    with patch.object(catch_up, "FIRST_S", 0.05):
        server = CompactorServer(settings)
    await server.start()
    try:
        yield
    finally:
        await server.stop()


async def test_compactor_schedules_ended_and_lost_days_without_a_call(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00"))
    delete(stack, "DELETE FROM calendar_pending")
    await append(stack, said("2026-04-20T12:00"))
    async with _compactor(stack.database):
        for _ in range(200):
            with stack.database.connect() as conn:
                rows = conn.execute("SELECT subject FROM jobs WHERE task = 'roll-up' ORDER BY 1")
                jobs = [subject for (subject,) in rows]
            if len(jobs) == 2:
                break
            await asyncio.sleep(0.05)
    assert jobs == ["day/2026-04-14", "day/2026-04-20"]

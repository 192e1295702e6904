"""When calendar nodes are rewritten, and how many rows the search for missing nodes reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everword.domain.periods import PeriodLevel
from everword.v1 import maintenance_service_pb2 as maintenance
from everword_compactor.calendar import backfill_days, requests, schedule, store
from everword_compactor.compose.model import Draft
from support.calendar_calls import at, revisions, said
from support.calendar_checks import check_calendar, pending
from support.calls import append
from support.compaction import ScriptedComposer, current, roll_up, worker_context
from support.earlier import earlier
from support.stack import Stack

NOW = at("2027-02-01T00:00")
QUIET_S = schedule.QUIET_S


def _wait(stack: Stack, minutes: int, where: str = "true") -> None:
    """Make pending calendar entries older."""
    with stack.database.connect() as conn:
        conn.execute(
            f"UPDATE calendar_pending SET enqueued_at = {earlier('enqueued_at', minutes * 60)} WHERE {where}".encode()
        )


def _scheduled(stack: Stack) -> list[str]:
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT subject FROM jobs WHERE task = 'roll-up' AND state = 'pending' ORDER BY subject"
        )
        return [subject for (subject,) in rows]


# Late messages


async def test_late_messages_are_composed_once_after_stream_has_ended(stack: Stack) -> None:
    composer = ScriptedComposer()
    for minute in range(10, 25):
        await append(stack, said(f"2026-04-14T12:{minute}"))
        roll_up(stack.database, composer, NOW, QUIET_S)
    assert set(revisions(stack).values()) == {1}
    assert [draft.level for draft in composer.drafts] == [4, 5, 6, 7]
    for _ in range(4):  # The day, and then each period that it re-opens.
        _wait(stack, 6)
        roll_up(stack.database, composer, NOW, QUIET_S)
    assert set(revisions(stack).values()) == {2}
    assert [draft.level for draft in composer.drafts] == [4, 5, 6, 7] * 2
    assert {node.message_count for node in check_calendar(stack.database).nodes.values()} == {15}
    assert not pending(stack.database)


async def test_endless_stream_of_late_messages_is_composed_after_an_hour(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00"))
    roll_up(stack.database, now=NOW)
    await append(stack, said("2026-04-14T13:00"))
    for waited, revision in ((59, 1), (2, 2)):
        _wait(stack, waited, "id = (SELECT min(id) FROM calendar_pending)")
        await append(stack, said("2026-04-14T14:00"))
        roll_up(stack.database, now=NOW, quiet_s=QUIET_S)
        assert revisions(stack)["2026-04-14"] == revision


async def test_day_waiting_for_quiet_does_not_delay_other_periods(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00"))
    roll_up(stack.database, now=at("2026-04-15T12:00"), quiet_s=QUIET_S)
    await append(stack, said("2026-04-14T13:00", "It came late."), said("2026-04-15T12:00"))
    roll_up(stack.database, now=NOW, quiet_s=QUIET_S)
    assert revisions(stack) == dict.fromkeys(
        ("2026-04-14", "2026-04-15", "2026-W16", "2026-04", "2026"), 1
    )
    assert pending(stack.database) == ["day/2026-04-14"]


async def test_requested_roll_up_does_not_wait_for_quiet(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00"))
    roll_up(stack.database, now=NOW)
    await append(stack, said("2026-04-14T13:00"))
    roll_up(stack.database, now=NOW, quiet_s=QUIET_S)
    assert not _scheduled(stack)
    await stack.maintenance.RollUp(maintenance.RollUpRequest())
    assert _scheduled(stack) == ["day/2026-04-14"]


# Outdated periods


async def test_outdated_periods_exclude_parked_ones_until_their_retry(stack: Stack) -> None:
    # The first day of 2027 belongs to the last week of 2026, which belongs to the month and year of its Thursday.
    await append(stack, said("2027-01-01T12:00"), said("2026-04-14T12:00"))
    now = at("2028-02-01T00:00")
    roll_up(stack.database, ScriptedComposer(), now)

    def fail(draft: Draft) -> None:
        raise RuntimeError("nothing can be made of this")

    newer = ScriptedComposer(model="newer", on_compose=fail)
    roll_up(stack.database, newer, now)

    def outdated() -> dict[int, list[str]]:
        with worker_context(stack.database) as shop, shop.database.connection() as conn:
            return {
                level: sorted(
                    str(row.period)
                    for row in store.outdated_periods(
                        conn, level, "newer", 1, 100, schedule.PARKED_S
                    )
                )
                for level in PeriodLevel
            }

    assert outdated() == {level: [] for level in PeriodLevel}
    with stack.database.connect() as conn:
        conn.execute(f"UPDATE jobs SET updated_at = {earlier('updated_at', 7 * 3600)}".encode())
    assert outdated() == {
        PeriodLevel.DAY: ["2026-04-14", "2027-01-01"],
        PeriodLevel.WEEK: ["2026-04-13", "2026-12-28"],
        PeriodLevel.MONTH: ["2026-04-01", "2026-12-01"],
        PeriodLevel.YEAR: ["2026-01-01"],
    }


async def test_outdated_week_waits_for_outdated_days_of_later_batches(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch consists of nodes: two of one day fill it, so the day of another week is not in it."""
    monkeypatch.setattr(schedule, "OUTDATED_BATCH", 2)
    for day, instance in (("14", "desk"), ("14", "phone"), ("24", "desk")):
        await append(stack, said(f"2026-04-{day}T12:00", instance=instance))
    roll_up(stack.database, now=NOW)
    newer = ScriptedComposer(model="newer")
    with worker_context(stack.database) as shop:
        schedule.schedule_roll_ups(shop.database, current(newer), lambda: NOW)
    assert _scheduled(stack) == ["day/2026-04-14"]


# Messages missing from the calendar


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the sizes of the pages read, of at most two messages each."""
    sizes: list[int] = []
    read: Callable[..., Any] = requests.page_messages

    async def page_messages(*arguments: Any) -> Any:
        page = await read(*arguments)
        sizes.append(len(page))
        return page

    monkeypatch.setattr(backfill_days, "BATCH", 2)
    monkeypatch.setattr(requests, "page_messages", page_messages)
    return sizes


async def _april_from_before_there_was_a_calendar(stack: Stack) -> None:
    await append(stack, *[said(f"2026-04-{day:02}T12:00") for day in range(1, 31)])
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM calendar_pending")
        conn.execute("UPDATE jobs SET state = 'pending' WHERE task = 'compact'")


async def test_roll_up_of_date_range_reads_only_messages_near_it(
    stack: Stack, pages: list[int]
) -> None:
    await _april_from_before_there_was_a_calendar(stack)
    request = maintenance.RollUpRequest(start_date="2026-04-10", end_date="2026-04-12")
    await stack.maintenance.RollUp(request)
    assert pending(stack.database) == ["day/2026-04-10", "day/2026-04-11"]
    # Days may be counted in any time zone, hence two more at each end.
    assert sum(pages) <= 2 + 4


async def test_summary_backfill_reads_messages_only_up_to_its_limit(
    stack: Stack, pages: list[int]
) -> None:
    await _april_from_before_there_was_a_calendar(stack)
    request = maintenance.BackfillRequest(target=maintenance.BACKFILL_TARGET_SUMMARIES, limit=3)
    assert (await stack.maintenance.Backfill(request)).items == 3
    assert pending(stack.database) == [f"day/2026-04-0{day}" for day in (1, 2, 3)]
    assert sum(pages) <= 6
    pages.clear()
    request.limit = 0
    assert (await stack.maintenance.Backfill(request)).items == 27
    assert sum(pages) == 30
    assert (await stack.maintenance.Backfill(request)).items == 0

"""`everword rollup`, for people and for programs."""

from __future__ import annotations

from support.calendar_calls import at, said
from support.calendar_checks import pending
from support.calls import append
from support.command_line import everword
from support.compaction import roll_up_everything
from support.stack import Stack


async def test_rollup_counts_and_schedules_periods(stack: Stack) -> None:
    await append(stack, said("2026-04-14T12:00"))
    dry = await everword(stack, "rollup", "--dry-run")
    assert dry.output == "3 periods would be summed up\n"
    within = await everword(stack, "rollup", "--since", "2026-04-15", "--json")
    assert int(within.json()["periods"]) == 0
    done = await everword(stack, "rollup", "--before", "2026-05-01")
    assert done.output == "3 periods are summed up\n"
    await roll_up_everything(stack, now=at("2026-06-01T00:00"))
    assert pending(stack.database) == ["year/2026"]
    wrong = await everword(stack, "rollup", "--since", "2026-02-30")
    assert wrong.status != 0
    assert "start_date" in wrong.errors

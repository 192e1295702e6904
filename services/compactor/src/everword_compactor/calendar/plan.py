"""In which order the periods of a namespace are summed up."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from everword.domain.periods import Period
from everword_compactor.calendar.model import RollUpJob


def plan_roll_ups(
    due: Collection[Period], waiting: Collection[Period], jobs: Sequence[RollUpJob]
) -> list[Period]:
    """Return the periods to start now, in the order of level and date.

    `due` are those with something pending that have ended, `waiting` all with something pending. A period waits for
    those within it, except for those that were given up: what is pending in these re-opens it later.
    """
    parked = {job.subject for job in jobs if job.is_parked}
    busy = {job.subject for job in jobs}
    held = {
        above
        for period in {*due, *waiting}
        if period.subject not in parked
        for above in period.all_above
    }
    return sorted(period for period in due if period.subject not in busy and period not in held)

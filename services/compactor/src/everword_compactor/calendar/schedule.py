"""Find periods of all namespaces that have ended and lack a summary, or are out of date, and schedule them in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from everword.db.blocking import BlockingDatabase
from everword.domain.periods import Period, PeriodLevel
from everword.domain.times import utc_now
from everword_compactor.calendar import store
from everword_compactor.calendar.model import RollUpJob
from everword_compactor.compose.current_composer import CurrentComposer
from everword_compactor.compose.model import Level

#: Periods of a namespace and level in a round.
BATCH = 1_000
#: Approximate number of outdated nodes in a round and level, shared by the namespaces, so that scheduled work is done
#: before more is added.
OUTDATED_BATCH = 100
#: A period that was given up gets another chance after so long: the days after an outage are not lost.
PARKED_S = 6 * 3600.0
#: A period that was written before is written again when nothing came late for so long: else each of many late messages
#: would have it composed again, and all above it.
QUIET_S = 300.0
#: It waits no longer than this for quiet.
LONGEST_QUIET_S = 3600.0


def schedule_roll_ups(
    database: BlockingDatabase,
    current: CurrentComposer,
    now: Callable[[], datetime] = utc_now,
    quiet_s: float = QUIET_S,
) -> int:
    """Schedule due periods, days before weeks and earlier before later ones; returns their number.

    A period that waits for quiet does not delay longer ones: it was summarised before, and reopens them later.
    """
    moment = now()
    waiting: dict[int, set[Period]] = defaultdict(set)
    due: dict[int, set[Period]] = defaultdict(set)
    with database.connection() as conn:
        for row in store.pending_periods(conn, BATCH, quiet_s, LONGEST_QUIET_S, moment):
            waiting[row.namespace_id].add(row.pending)
            if row.calendar.due_at(row.pending) <= moment:
                due[row.namespace_id].add(row.pending)
    for namespace_id, period in _outdated(database, current):
        due[namespace_id].add(period)
    scheduled = 0
    for namespace_id, periods in sorted(due.items()):
        with database.transaction(namespace_id) as conn:
            jobs = store.open_roll_ups(conn, namespace_id, PARKED_S)
            ready = plan_roll_ups(periods, waiting[namespace_id], jobs)
            if ready:
                scheduled += store.schedule_roll_ups(conn, namespace_id, ready, PARKED_S)
    return scheduled


def _outdated(database: BlockingDatabase, current: CurrentComposer) -> list[tuple[int, Period]]:
    found: list[tuple[int, Period]] = []
    #: Periods with an outdated one within: they are made from nodes that are still to be rewritten.
    held: set[int] = set()
    for level in PeriodLevel:
        with database.connection() as conn:
            rows = store.outdated_periods(
                conn, level, current.model, current.versions[Level(level)], OUTDATED_BATCH, PARKED_S
            )
        found += [
            (row.namespace_id, Period(level, row.period, row.subject))
            for row in rows
            if row.namespace_id not in held
        ]
        held.update(row.namespace_id for row in rows)
    return found


def plan_roll_ups(
    due: Collection[Period], waiting: Collection[Period], jobs: Sequence[RollUpJob]
) -> list[Period]:
    """Return the periods to start now, in the order of level and date.

    `due` are the pending ones that have ended, `waiting` all pending ones. A period waits for the periods within it,
    except for parked ones, which reopen it later.
    """
    parked = {job.subject for job in jobs if job.is_parked}
    busy = {job.subject for job in jobs}
    held = {
        above
        for period in {*due, *waiting}
        if period.job_subject not in parked
        for above in period.all_above
    }
    return sorted(period for period in due if period.job_subject not in busy and period not in held)

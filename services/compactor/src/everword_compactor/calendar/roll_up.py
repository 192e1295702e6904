"""Schedule the summaries of days that have ended, and of the weeks, months and years above them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.periods import Calendar, Period
from everword.domain.times import utc_now
from everword_compactor.calendar import requests
from everword_compactor.calendar.backfill_days import backfill_days
from everword_compactor.calendar.schedule import plan_roll_ups


async def roll_up(
    database: Database,
    namespace: NamespaceScope,
    since: date | None,
    before: date | None,
    dry_run: bool,
    now: Callable[[], datetime] = utc_now,
) -> int:
    """Schedule pending periods from `since` up to `before`; returns the number of days, weeks, months and years.

    Longer periods follow once the days within are done. Days that have not ended are left out, and messages missing
    from the calendar are enqueued. A dry run only counts.
    """
    async with database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
    calendar = Calendar(settings.time_zone, settings.day_cutoff_minutes)
    moment = now()
    first, last = since or date.min, min(before or date.max, calendar.day_of(moment))
    missed = await backfill_days(database, namespace.id, dry_run, since=first, before=last)
    async with database.transaction(namespace.id) as conn:
        pending = await requests.list_pending(conn, namespace.id)
        pending = {period for period in pending | missed if _touches(period, first, last)}
        coming = pending.union(*(period.all_above for period in pending))
        ended = {period for period in coming if _has_ended(calendar, period, moment)}
        if not dry_run:
            jobs = await requests.open_roll_ups(conn, namespace.id)
            ready = plan_roll_ups(pending & ended, pending, jobs)
            if ready:
                await requests.schedule_roll_ups(conn, namespace.id, ready)
    return len(ended)


def _touches(period: Period, first: date, last: date) -> bool:
    """Return whether a period has days from `since` up to before `before`."""
    return period.start < last and period.end - timedelta(days=1) >= first


def _has_ended(calendar: Calendar, period: Period, moment: datetime) -> bool:
    return calendar.day_of(moment) >= period.end

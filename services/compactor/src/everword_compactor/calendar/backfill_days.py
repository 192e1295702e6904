"""Enqueue the messages that the calendar has missed: those from before there was one, above all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Database
from everword.domain.periods import Calendar, Period, PeriodLevel
from everword_compactor.calendar import requests
from everword_compactor.calendar.model import PagedMessage

#: Messages in one transaction.
BATCH = 5_000
#: No zone and no cut-off takes a day further than this from the same day in UTC.
_MARGIN = timedelta(days=2)


async def backfill_days(
    database: Database,
    namespace_id: int,
    dry_run: bool,
    limit: int | None = None,
    since: date = date.min,
    before: date = date.max,
    rest: float = 0.0,
) -> set[Period]:
    """Enqueue each message that is neither under a day nor pending, for its day.

    Looks at messages of the days from `since` up to before `before`, in order, and returns the subjects' days with new
    pending messages; stops at `limit` of them. Pauses for `rest` seconds per second of work. An error ends the call,
    and the messages enqueued before stay enqueued.
    """
    days: set[Period] = set()
    if limit == 0:
        return days
    after, end = (_moment(since, -_MARGIN), UUID(int=0)), _moment(before, _MARGIN)
    while True:
        began = time.monotonic()
        async with database.transaction(namespace_id) as conn:
            settings = await get_namespace_settings(conn, namespace_id)
            page = await requests.page_messages(
                conn, namespace_id, after, end, settings.channel_policies, BATCH
            )
            calendar = Calendar(settings.time_zone, settings.day_cutoff_minutes)
            missing = [
                (message, Period(PeriodLevel.DAY, day, settings.calendar_subject(message.subject)))
                for message, day in _missing(page, calendar)
                if since <= day < before
            ]
            found = sorted({day for _, day in missing} - days)
            days.update(found if limit is None else found[: limit - len(days)])
            pending = [(message, day) for message, day in missing if day in days]
            if pending and not dry_run:
                messages, on = zip(*pending, strict=True)
                await requests.enqueue_messages(conn, namespace_id, messages, on)
        if len(page) < BATCH:
            return days
        await asyncio.sleep(rest * (time.monotonic() - began))
        after = page[-1].occurred_at, page[-1].id
        if len(days) == limit:
            end = _moment(max(days).start, _MARGIN + timedelta(days=1))


def _missing(
    page: Sequence[PagedMessage], calendar: Calendar
) -> Iterator[tuple[PagedMessage, date]]:
    for message in page:
        if message.is_missing:
            yield message, calendar.day_of(message.occurred_at)


def _moment(day: date, margin: timedelta) -> datetime:
    """Return the beginning of a day in UTC, so much earlier or later, as far as dates go."""
    begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
    try:
        return begin + margin
    except OverflowError:
        return begin if margin < timedelta() else datetime.max.replace(tzinfo=UTC)

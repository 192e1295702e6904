"""Owe the calendar the messages that it has missed: those from before there was one, above all."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import Database
from everword.domain.periods import Calendar
from everword_compactor.calendar import requests

#: Messages in one transaction.
BATCH = 5_000


async def backfill_days(
    database: Database,
    namespace_id: int,
    dry_run: bool,
    limit: int | None = None,
    since: date = date.min,
    before: date = date.max,
) -> set[date]:
    """Owe each message that is under no day, and owed to none, to the day that it is on.

    Looks at days from `since` up to before `before`, and returns those that owe more now, at most `limit`. Only what is
    seen to be missing is owed: an error ends the call, and what was owed until then stays.
    """
    days: set[date] = set()
    after = UUID(int=0)
    while True:
        async with database.transaction(namespace_id) as conn:
            settings = await get_namespace_settings(conn, namespace_id)
            page = await requests.page_messages(
                conn, namespace_id, after, _left_out(settings), BATCH
            )
            calendar = Calendar(settings.time_zone, settings.day_cutoff_minutes)
            missing = []
            for message in page:
                day = calendar.day_of(message.occurred_at)
                room = day in days or limit is None or len(days) < limit
                if message.is_missing and since <= day < before and room:
                    days.add(day)
                    missing.append((message, day))
            if missing and not dry_run:
                messages, on = zip(*missing, strict=True)
                await requests.owe_messages(conn, namespace_id, messages, on)
        if len(page) < BATCH:
            return days
        after = page[-1].id


def _left_out(settings: NamespaceSettings) -> list[str]:
    return sorted(name for name in settings.channel_policies if not settings.rolls_up(name))

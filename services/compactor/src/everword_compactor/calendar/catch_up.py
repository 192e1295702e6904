"""Enqueue lost days and longer periods of all namespaces, soon after the start and once a day.

Every append enqueues its messages for their days. A round therefore finds something only if rows were lost, or if
messages are older than the calendar.
"""

from __future__ import annotations

import logging

import psycopg

from everword.db.periodic import PeriodicTask, log_failure
from everword.db.pool import Database
from everword.domain.errors import EverwordError
from everword_compactor.calendar import requests
from everword_compactor.calendar.backfill_days import backfill_days

log = logging.getLogger(__name__)
#: Seconds between the start and the first round; a server that is restarted again and again does no work.
FIRST_S = 30.0
#: Seconds between rounds.
INTERVAL_S = 24 * 3600.0
#: Seconds of rest per second of work: 100,000 messages take about two seconds of work.
REST = 1.0
#: Namespaces in a page.
BATCH = 1_000


def catch_up_task(database: Database) -> PeriodicTask:
    async def run() -> None:
        await catch_up(database)

    return PeriodicTask("calendar catch-up", INTERVAL_S, [run], first_s=FIRST_S)


async def catch_up(database: Database) -> None:
    """Enqueue messages that no day covers, and weeks, months and years that are missing or stale."""
    after = 0
    while True:
        async with database.connection() as conn:
            page = await requests.active_namespaces(conn, after, BATCH)
        for namespace_id in page:
            try:
                await _catch_up(database, namespace_id)
            except (psycopg.Error, EverwordError) as error:
                # For instance, the namespace is being deleted.
                log_failure("calendar catch-up", error)
        if len(page) < BATCH:
            return
        after = page[-1]


async def _catch_up(database: Database, namespace_id: int) -> None:
    async with database.transaction(namespace_id) as conn:
        await requests.enqueue_lost_periods(conn, namespace_id)
    days = await backfill_days(database, namespace_id, dry_run=False, rest=REST)
    if days:
        log.warning(
            "calendar.days_recovered", extra={"namespace_id": namespace_id, "days": len(days)}
        )

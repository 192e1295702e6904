"""Add up the costs of model calls."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.times import utc_now
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.costs import store
from everword_ingest.costs.model import CostFilter, CostQuery
from everword_ingest.costs.store import SumRow

DEFAULT_PAGE, MAX_PAGE = 100, 1_000
DEFAULT_DAYS = 30


async def get_costs(
    database: Database, namespace: NamespaceScope, query: CostQuery, page: PageRequest
) -> tuple[Sequence[SumRow], str]:
    """Return a page of sums, and the token of the next one. Raises InvalidPageToken and InvalidArgument."""
    cursor = await open_cursor(
        database, namespace, "GetCosts", page, default=DEFAULT_PAGE, maximum=MAX_PAGE
    )
    async with database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
        span = span_of(query.filter, settings.time_zone, utc_now())
        found = await store.sum_costs(
            conn,
            namespace.id,
            query.filter,
            span,
            query.group_by,
            settings.time_zone,
            cursor.after,
            cursor.limit,
        )
    return cursor.cut(found, lambda last: last.place)


def span_of(cost_filter: CostFilter, time_zone: str, now: datetime) -> tuple[datetime, datetime]:
    """Return the start and the end of a filter's days. Raises InvalidArgument if there is no day."""
    zone = ZoneInfo(time_zone)
    today = now.astimezone(zone).date()
    last = min(cost_filter.end or today, today).toordinal()
    start = cost_filter.start or date.fromordinal(max(last - DEFAULT_DAYS, 1))
    end = cost_filter.end or today + timedelta(1)
    if end <= start:
        raise InvalidArgument(violations=(("filter.end_date", "must be after the start"),))
    return _midnight(start, zone), _midnight(end, zone)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    try:
        return datetime.combine(day, time(), zone).astimezone(UTC)
    except OverflowError as error:
        raise InvalidArgument(violations=(("filter", f"{day} is out of range"),)) from error

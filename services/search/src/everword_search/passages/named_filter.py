"""Resolve the name of a period in a filter, such as `last_month`, to times of occurrence."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.text.periods import NAMED_TIME_EXAMPLES, parse_time_range
from everword_search.records.model import MemoryFilter


async def resolve_period(
    database: Database,
    namespace: NamespaceScope,
    memory_filter: MemoryFilter,
    now: datetime | None = None,
) -> MemoryFilter:
    """Return the filter with its period as times, in the namespace's zone, relative to `now`.

    Raises InvalidArgument if the period is not understood.
    """
    if not memory_filter.period:
        return memory_filter
    async with database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
    try:
        bounds = parse_time_range(
            memory_filter.period, now or datetime.now(UTC), ZoneInfo(settings.time_zone)
        )
    except ValueError as error:
        text = f"{error}; write a time such as {NAMED_TIME_EXAMPLES}"
        raise InvalidArgument(violations=(("filter.period", text),)) from None
    start = -math.inf if bounds.start is None else bounds.start.timestamp()
    end = math.inf if bounds.end is None else bounds.end.timestamp()
    return replace(memory_filter, period="").within(start, end)

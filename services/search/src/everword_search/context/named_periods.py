"""The calendar's summaries of a period that the query names, such as `last week`, `2026-W16` or `on 14 April 2026`.

Ranking prefers messages to summaries, because a long summary has more of a question's words than the message that
answers. A question about a whole period is an exception: no single message answers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.periods import Period, PeriodLevel
from everword.domain.records import MemoryRecord
from everword_search.endings.read_endings import read_endings
from everword_search.passages.store import PeriodNodeRow, Scope, find_period_nodes
from everword_search.ranking.times.periods import TimeRange, named_periods
from everword_search.records.model import MemoryFilter
from everword_search.records.store import read_memories
from everword_search.retrieval.full_text import FullText
from everword_search.retrieval.hits import RankedHit
from everword_search.retrieval.model import SearchResult

#: Maximum summaries: the days of a week.
MOST = 7
#: Characters read of each summary.
_CHARS = 4000
#: Longest period in seconds: a year and a day. `since 2020` asks about something else.
_LONGEST_S = 367 * 86400.0
#: Periods outside of these moments are ignored: days next to them may be outside of Python's dates.
_EARLIEST_S = datetime(2, 1, 1, tzinfo=UTC).timestamp()
_LATEST_S = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


async def find_period_summaries(
    database: Database,
    namespace: NamespaceScope,
    settings: NamespaceSettings,
    memory_filter: MemoryFilter,
    text: str,
) -> list[SearchResult]:
    """Return the summaries of the periods that the query names, oldest first, at most `MOST`.

    A period without a summary, such as this week, is represented by those within it.
    """
    now = memory_filter.as_of_time or datetime.now(UTC)
    zone, scope = ZoneInfo(settings.time_zone), Scope(namespace.id, memory_filter)
    named = named_periods(text, settings.text_search_config, now, settings.time_zone)
    days = [_days(each, zone) for each in named if _has_calendar(each)]
    if not days:
        return []
    chosen: dict[UUID, PeriodNodeRow] = {}
    async with database.transaction(namespace.id) as conn:
        for first, end in days:
            # The first week of a month may begin in the month before.
            nodes = await find_period_nodes(conn, scope, first - timedelta(days=6), end)
            chosen |= {node.id: node for node in choose_nodes(nodes, first, end)}
        ids = list(chosen)[:MOST]
        if not ids:
            return []
        passages = [chosen[id_].passage_id for id_ in ids]
        records = await read_memories(conn, namespace.id, ids, passages, _CHARS)
        endings = await read_endings(conn, scope, ids)
    return [
        SearchResult(
            record,
            record.content,
            RankedHit(record.id, chosen[record.id].passage_id, 0.0, [], ()),
            endings=endings.get(record.id, ()),
            full=_whole(record),
        )
        for record in records
    ]


def _whole(record: MemoryRecord) -> FullText:
    """Return a summary as its own passage, so that it is shown whole or in whole sentences."""
    full = FullText.around("", record.content, "")
    return replace(full, goes_after=record.content_truncated)


def _has_calendar(named: TimeRange) -> bool:
    is_dated = named.start >= _EARLIEST_S and named.end <= _LATEST_S
    return is_dated and named.end - named.start <= _LONGEST_S


def choose_nodes(nodes: Sequence[PeriodNodeRow], first: date, end: date) -> list[PeriodNodeRow]:
    """Return the nodes that lie within the days from `first` up to before `end`, without those below a returned one."""
    chosen: dict[UUID, PeriodNodeRow] = {}
    covered = set[UUID]()
    for node in sorted(nodes, key=lambda node: -node.level):
        if node.parent_id in chosen or node.parent_id in covered:
            covered.add(node.id)
        elif first <= node.period and _end_of(node) <= end:
            chosen[node.id] = node
    return sorted(chosen.values(), key=lambda node: (node.period, -node.level))


def _end_of(node: PeriodNodeRow) -> date:
    """Return the day after a period as people name it: a month ends with its last day, not with a week."""
    level = PeriodLevel(node.level)
    if level <= PeriodLevel.WEEK:
        return Period(level, node.period).end
    if level == PeriodLevel.YEAR:
        return node.period.replace(year=node.period.year + 1)
    return (node.period + timedelta(days=31)).replace(day=1)


def _days(named: TimeRange, zone: ZoneInfo) -> tuple[date, date]:
    """Return the first day of a named period and the day after it."""
    first = datetime.fromtimestamp(named.start, zone).date()
    return first, datetime.fromtimestamp(named.end - 1, zone).date() + timedelta(days=1)

"""The summaries that represent a named period."""

from __future__ import annotations

from datetime import date
from uuid import UUID

import pytest

from everword.domain.periods import Period, PeriodLevel
from everword_search.context.named_periods import choose_nodes
from everword_search.passages.store import PeriodNodeRow

#: Days of messages; the weeks of the first and the last reach into other months.
DAYS = [date(2026, 3, 31), date(2026, 4, 1), date(2026, 4, 14), date(2026, 4, 16), date(2026, 5, 1)]


def nodes(*missing: str) -> list[PeriodNodeRow]:
    """Return the nodes of all periods of `DAYS`, without those with these labels."""
    periods = {above for day in DAYS for above in _with_all_above(day)}
    known = {
        each: UUID(int=n) for n, each in enumerate(sorted(periods), 1) if each.label not in missing
    }
    return [
        PeriodNodeRow(id_, each.level, each.start, known.get(each.above) if each.above else None, 1)
        for each, id_ in known.items()
    ]


def _with_all_above(day: date) -> tuple[Period, ...]:
    period = Period(PeriodLevel.DAY, day)
    return period, *period.all_above


@pytest.mark.parametrize(
    ("first", "end", "missing", "labels"),
    [
        (date(2026, 4, 13), date(2026, 4, 20), [], ["2026-W16"]),
        (date(2026, 4, 13), date(2026, 4, 20), ["2026-W16"], ["2026-04-14", "2026-04-16"]),
        (date(2026, 4, 14), date(2026, 4, 15), [], ["2026-04-14"]),
        (date(2026, 4, 1), date(2026, 5, 1), [], ["2026-04"]),
        (date(2026, 4, 1), date(2026, 5, 1), ["2026-04"], ["2026-04-01", "2026-W16"]),
        (date(2026, 1, 1), date(2027, 1, 1), [], ["2026"]),
        (date(2026, 1, 1), date(2027, 1, 1), ["2026"], ["2026-04"]),
        (date(2026, 4, 2), date(2026, 4, 9), [], []),
    ],
)
def test_choose_nodes_returns_longest_summaries_within_the_period(
    first: date, end: date, missing: list[str], labels: list[str]
) -> None:
    chosen = choose_nodes(nodes(*missing), first, end)
    found = [Period(PeriodLevel(node.level), node.period).label for node in chosen]
    assert found == labels

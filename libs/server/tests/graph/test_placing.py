"""Changes of a new relation: no row is changed in place, and no two intervals of it overlap."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from uuid import UUID

from everword.graph.model import GraphSource
from everword.graph.placement import EdgeIntervalRow, EdgeStatement, place_edge

BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
NOW = BEGAN + timedelta(days=50)
EDGE, FROM, TO, FACT = (UUID(int=number) for number in range(1, 5))
BLANK = EdgeIntervalRow(None, EDGE, FROM, TO, "knows", "", 0.0, 0, None, "", None, None, None)
Times = tuple[datetime | None, datetime | None]


def day(number: int | None) -> datetime | None:
    return None if number is None else BEGAN + timedelta(days=number)


def told(
    *times: Times, fact_id: UUID | None = None, confidence: float | None = None
) -> EdgeStatement:
    return EdgeStatement("", confidence, GraphSource.AGENT, None, "", fact_id, times)


def placed(known: list[EdgeIntervalRow], said: EdgeStatement) -> list[EdgeIntervalRow]:
    change = place_edge(known, BLANK, said, NOW)
    retained = [row for row in known if row not in change.gone]
    return retained + [replace(row, id=UUID(int=len(retained) + 100)) for row in change.come]


def holds(known: list[EdgeIntervalRow], number: int) -> bool:
    moment = BEGAN + timedelta(days=number)
    return any(
        (row.valid_from is None or row.valid_from <= moment)
        and (row.valid_until is None or moment < row.valid_until)
        for row in known
    )


def test_ended_edge_restarts_now_if_stated_again_without_times() -> None:
    ended = placed([], told((day(0), day(10))))
    again = placed(ended, told((None, None)))
    assert [holds(again, each) for each in (5, 10, 49, 50, 90)] == [True, False, False, True, True]
    assert placed(again, told((None, None))) == again
    surer = placed(again, told((None, None), confidence=0.95))
    assert sorted(row.confidence for row in surer) == [0.8, 0.95]
    assert {row.edge_id for row in surer} == {EDGE}


def test_edge_takes_the_times_of_its_fact_or_none() -> None:
    free = placed([], told((day(0), None)))
    bound = placed(free, told((day(3), day(5)), (day(8), None), fact_id=FACT))
    assert [holds(bound, each) for each in (0, 4, 6, 9)] == [False, True, False, True]
    never = placed(bound, told(fact_id=FACT))
    assert len(never) == 1
    assert not any(holds(never, each) for each in range(100))
    assert placed(never, told((None, None))) == never


def test_intervals_of_an_edge_never_overlap() -> None:
    rng = random.Random(3)
    for _ in range(300):
        known = list[EdgeIntervalRow]()
        for _ in range(8):
            since = rng.choice([None, rng.randrange(40)])
            until = rng.choice([None, (since or 0) + rng.randrange(1, 30)])
            known = placed(known, told((day(since), day(until))))
        for one, other in combinations(known, 2):
            starts = [row.valid_from or datetime.min.replace(tzinfo=UTC) for row in (one, other)]
            ends = [row.valid_until or datetime.max.replace(tzinfo=UTC) for row in (one, other)]
            assert max(starts) >= min(ends)

"""Believed intervals over random histories, compared with a history kept day by day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from uuid import UUID

import pytest

from everword.facts.model import Interval
from everword.facts.timeline import TimelineChange, correct, end, state

DAYS = 60
BEGAN = datetime(2022, 1, 1, tzinfo=UTC)
FACTS = [UUID(int=number) for number in range(1, 6)]


def at(day: int) -> datetime:
    return BEGAN + timedelta(days=day)


@dataclass(frozen=True)
class Cell:
    """A day: the fact that holds, and which stretch of it."""

    fact: UUID
    stretch: int


@dataclass
class ByDay:
    """An attribute with one value at a time, day by day; the last day represents all later ones."""

    days: list[Cell | None] = field(default_factory=lambda: [None] * DAYS)
    stretches: int = 0

    def state(self, fact: UUID, since: int, until: int | None) -> None:
        here = self.days[since]
        last = DAYS if until is None else until
        if here is not None and here.fact == fact:
            for day in range(last, self._end_of(since, here)):
                self.days[day] = None
            return
        covered = range(since, self._end_of(since, here))
        own = self._begin(fact)
        for day in covered:
            if day < last:
                self.days[day] = own
        if here is None:
            self._grow(own, covered.stop, last)
        self._join()

    def end(self, fact: UUID, until: int) -> None:
        for day in range(until, DAYS):
            held = self.days[day]
            if held is not None and held.fact == fact:
                self.days[day] = None

    def _join(self) -> None:
        """Make one stretch of neighbouring days of one fact."""
        for day, held in enumerate(self.days):
            before = self.days[day - 1] if day else None
            if before and held and before.fact == held.fact:
                self.days[day] = before

    def _begin(self, fact: UUID) -> Cell:
        self.stretches += 1
        return Cell(fact, self.stretches)

    def _end_of(self, since: int, here: Cell | None) -> int:
        return next((day for day in range(since, DAYS) if self.days[day] != here), DAYS)

    def _grow(self, own: Cell, begins: int, last: int) -> None:
        """Join a statement in a gap with the same fact's interval after it."""
        after = self.days[begins] if begins < DAYS else None
        if after is None or after.fact != own.fact or last < begins:
            return
        for day in range(begins, self._end_of(begins, after)):
            self.days[day] = own if day < last or last == begins else None


@dataclass
class Beliefs:
    """Believed intervals, as rows that only ever get an end."""

    rows: list[tuple[Interval, int, int | None]] = field(default_factory=list)
    ids: int = 0

    def believed(self) -> list[Interval]:
        return [row for row, _, until in self.rows if until is None]

    def apply(self, change: TimelineChange, now: int) -> None:
        gone = {each.id for each in change.disbelieved}
        self.rows = [
            (row, since, now if until is None and row.id in gone else until)
            for row, since, until in self.rows
        ]
        for each in change.believed:
            self.ids += 1
            self.rows.append((replace(each, id=UUID(int=self.ids)), now, None))

    def value(self, valid_at: datetime, known_at: int) -> list[UUID]:
        return [
            row.fact_id
            for row, since, until in self.rows
            if since <= known_at and (until is None or known_at < until) and row.covers(valid_at)
        ]


@pytest.mark.parametrize("seed", range(4))
def test_timeline_as_of_any_moments_matches_a_naive_daily_history(seed: int) -> None:
    random = Random(seed)
    beliefs, naive = Beliefs(), ByDay()
    known: list[list[Cell | None]] = [list(naive.days)]
    for now in range(1, 501):
        fact, since = random.choice(FACTS), random.randrange(DAYS)
        longer = random.randrange(since + 1, DAYS + 1)
        until = longer if longer < DAYS and random.random() < 0.5 else None
        if random.random() < 0.4:
            own = [each for each in beliefs.believed() if each.fact_id == fact]
            later = [each for each in own if each.until is None or each.until > at(since)]
            beliefs.apply(end(later, fact, at(since)), now)
            naive.end(fact, since)
        else:
            beliefs.apply(
                state(beliefs.believed(), fact, at(since), at(until) if until else None, False), now
            )
            naive.state(fact, since, until)
        known.append(list(naive.days))
        _ensure_sound(beliefs.believed())
    for _ in range(500):
        day, moment = random.randrange(DAYS), random.randrange(len(known))
        cell = known[moment][day]
        assert beliefs.value(at(day), moment) == ([cell.fact] if cell else [])


@pytest.mark.parametrize("several", [False, True])
def test_corrections_do_not_change_earlier_knowledge(several: bool) -> None:
    random = Random(7)
    beliefs = Beliefs()
    for now in range(1, 400):
        fact, other = random.sample(FACTS, 2)
        before = [
            (day, moment, beliefs.value(at(day), moment))
            for day, moment in ((random.randrange(DAYS), random.randrange(now)) for _ in range(10))
        ]
        if random.random() < 0.3:
            right = random.choice([None, other])
            beliefs.apply(correct(beliefs.believed(), fact, right, several), now)
            assert all(each.fact_id != fact for each in beliefs.believed())
        else:
            since = at(random.randrange(DAYS))
            beliefs.apply(state(beliefs.believed(), fact, since, None, several), now)
        for day, moment, value in before:
            assert beliefs.value(at(day), moment) == value
        own = beliefs.believed()
        for each in FACTS if several else [None]:
            _ensure_sound([row for row in own if each in (None, row.fact_id)])


def test_superseded_fact_is_named_with_its_successor() -> None:
    berlin, lisbon = FACTS[:2]
    beliefs = Beliefs()
    beliefs.apply(state([], berlin, at(0), None, False), 1)
    change = state(beliefs.believed(), lisbon, at(30), None, False)
    assert change.superseded_ids == {berlin}
    beliefs.apply(change, 2)
    old, new = sorted(beliefs.believed(), key=lambda each: each.since)
    assert (old.until, old.successor_id) == (at(30), lisbon)
    assert (new.until, new.successor_id) == (None, None)


@pytest.mark.parametrize("restated", [5, 10])
def test_fact_restated_earlier_is_removed_by_one_correction(restated: int) -> None:
    berlin, lisbon = FACTS[:2]
    beliefs = Beliefs()
    # Lisbon from day 20, Berlin before it, and then Lisbon earlier than was thought.
    for now, (fact, since) in enumerate([(berlin, 0), (lisbon, 20), (lisbon, restated)]):
        beliefs.apply(state(beliefs.believed(), fact, at(since), None, False), now)
    old, new = sorted(beliefs.believed(), key=lambda each: each.since)
    assert (old.until, new.since, new.until) == (at(restated), at(restated), None)
    beliefs.apply(correct(beliefs.believed(), lisbon, None, False), 3)
    [left] = beliefs.believed()
    assert (left.fact_id, left.since, left.until, left.successor_id) == (berlin, at(0), None, None)


def _ensure_sound(believed: Sequence[Interval]) -> None:
    ordered = sorted(believed, key=lambda each: each.since)
    assert all(each.until is None or each.since < each.until for each in ordered)
    for one, following in pairwise(ordered):
        assert one.until is not None
        assert one.until <= following.since
        # A fact that is valid without a break has one interval.
        assert one.fact_id != following.fact_id or one.until < following.since

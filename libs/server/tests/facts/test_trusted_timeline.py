"""Trusted facts take precedence in a timeline, over random histories of trusted and untrusted statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from uuid import UUID

import pytest

from everword.facts.model import Interval
from everword.facts.timeline import TimelineChange, state_trusted, state_untrusted

BEGAN = datetime(2022, 1, 1, tzinfo=UTC)
TRUSTED = [UUID(int=number) for number in range(1, 4)]
UNTRUSTED = [UUID(int=number) for number in range(4, 8)]


def at(day: int) -> datetime:
    return BEGAN + timedelta(days=day)


def applied(believed: Sequence[Interval], change: TimelineChange) -> list[Interval]:
    """Return the intervals after a change; each gets an id."""
    assert set(change.disbelieved) <= set(believed)
    come = [
        replace(each, id=UUID(int=Random(repr(each)).getrandbits(128))) for each in change.believed
    ]
    return [*(each for each in believed if each not in change.disbelieved), *come]


def times(believed: Sequence[Interval], facts: Sequence[UUID]) -> list[tuple[object, ...]]:
    own = (each for each in believed if each.fact_id in facts)
    return sorted((each.since, str(each.until), each.fact_id) for each in own)


@pytest.mark.parametrize("seed", range(300))
def test_untrusted_statements_do_not_change_trusted_intervals(seed: int) -> None:
    random = Random(seed)
    both: list[Interval] = []
    alone: list[Interval] = []
    for _ in range(14):
        since = at(random.randrange(60))
        until = at(61 + random.randrange(9)) if random.random() < 0.2 else None
        if random.random() < 0.5:
            fact = random.choice(TRUSTED)
            both = applied(both, state_trusted(both, TRUSTED, fact, since, until, False))
            alone = applied(alone, state_trusted(alone, TRUSTED, fact, since, until, False))
        else:
            fact = random.choice(UNTRUSTED)
            both = applied(both, state_untrusted(both, TRUSTED, fact, since, until, False))
        assert times(both, TRUSTED) == times(alone, TRUSTED)
        ordered = sorted(both, key=lambda each: each.since)
        for one, other in pairwise(ordered):
            assert one.until is not None
            assert one.until <= other.since


def test_late_trusted_statement_replaces_an_untrusted_interval() -> None:
    untrusted = Interval(UUID(int=9), UNTRUSTED[0], at(10))
    change = state_trusted([untrusted], [], TRUSTED[0], at(5), None, False)
    assert change.disbelieved == (untrusted,)
    assert [(each.fact_id, each.since, each.until) for each in change.believed] == [
        (TRUSTED[0], at(5), None)
    ]


def test_trusted_statement_splits_the_untrusted_interval_around_it() -> None:
    untrusted = Interval(UUID(int=9), UNTRUSTED[0], at(0))
    change = state_trusted([untrusted], [], TRUSTED[0], at(5), at(8), False)
    assert {(each.fact_id, each.since, each.until) for each in change.believed} == {
        (UNTRUSTED[0], at(0), at(5)),
        (TRUSTED[0], at(5), at(8)),
        (UNTRUSTED[0], at(8), None),
    }


def test_multi_valued_statements_do_not_change_other_values() -> None:
    trusted = Interval(UUID(int=9), TRUSTED[0], at(0))
    change = state_untrusted([trusted], TRUSTED, UNTRUSTED[0], at(5), None, True)
    assert change.disbelieved == ()
    assert [each.fact_id for each in change.believed] == [UNTRUSTED[0]]

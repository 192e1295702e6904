"""Who sends too many calls is let in again as his calls are answered."""

from __future__ import annotations

import pytest

from everword.rpc import shedding
from everword.rpc.shedding import LET_IN, Shedding


def test_for_each_call_that_is_answered_one_is_let_in() -> None:
    calls = Shedding()
    assert calls.lets_in("flood")
    assert not calls.is_active
    calls.note_refused("flood")
    assert calls.is_active
    assert not calls.lets_in("flood")
    assert calls.lets_in("other")
    calls.note_answered("flood")
    calls.note_answered("other")
    calls.note_refused(
        "flood"
    )  # of those that wait, one makes room: no place comes with it, and none goes
    assert [calls.lets_in("flood"), calls.lets_in("flood")] == [True, False]
    assert [calls.lets_in("other"), calls.lets_in("other")] == [True, True]


def test_places_are_not_saved_up() -> None:
    calls = Shedding()
    calls.note_refused("flood")
    for _ in range(3 * LET_IN):
        calls.note_answered("flood")
    assert sum(calls.lets_in("flood") for _ in range(3 * LET_IN)) == LET_IN


def test_it_ends_once_nobody_was_refused_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shedding, "LASTS_S", 0.0)
    calls = Shedding()
    calls.note_refused("flood")
    assert calls.lets_in("flood")

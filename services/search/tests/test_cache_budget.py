"""What copies take together, and which of them give way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everword_search.cache.budget import Budget


def anyone(_: int) -> bool:
    return True


def but(*stay: int) -> Callable[[int], bool]:
    return lambda namespace_id: namespace_id not in stay


@pytest.fixture
def budget() -> Budget:
    """Three copies that take 30 of 100 bytes each, and one of 4 files."""
    budget = Budget(100, 4)
    for namespace_id in (1, 2, 3):
        budget.take(namespace_id, 30, 1)
    return budget


def test_what_all_take_is_added_up(budget: Budget) -> None:
    assert budget.totals == [90, 3]
    assert budget.mean == [30, 1]
    budget.take(2, 45, 1)
    assert budget.totals == [105, 3]
    for gone in (1, 7):
        budget.drop(gone)
    assert budget.totals == [75, 2]
    assert budget.mean == [37, 1]


def test_without_copies_nothing_is_taken() -> None:
    nothing = Budget(5)
    assert nothing.totals == nothing.mean == [0]
    assert nothing.excess() is None
    assert nothing.leaving([5], anyone) == []
    assert nothing.leaving([6], anyone) is None


@pytest.mark.parametrize(
    ("wanted", "leaving"),
    [
        ([10, 1], []),
        ([11, 1], [1]),
        ([41, 1], [1, 2]),
        ([10, 2], [1]),
        ([100, 4], [1, 2, 3]),
        ([101, 1], None),
        ([1, 5], None),
    ],
)
def test_those_give_way_that_were_not_searched_for_longest(
    budget: Budget, wanted: list[int], leaving: list[int] | None
) -> None:
    assert budget.leaving(wanted, anyone) == leaving


def test_what_was_searched_gives_way_last(budget: Budget) -> None:
    budget.searched(1)
    assert budget.leaving([41, 1], anyone) == [2, 3]
    # To weigh a copy again is no search.
    budget.take(2, 31, 1)
    assert budget.leaving([10, 1], anyone) == [2]


def test_nobody_gives_way_where_that_is_not_enough(budget: Budget) -> None:
    assert budget.leaving([41, 1], but(2)) is None
    assert budget.leaving([40, 1], but(2)) == [1]


def test_of_too_much_the_one_that_is_too_large_goes_first(budget: Budget) -> None:
    assert budget.excess() is None
    budget.take(3, 41, 1)
    assert budget.excess() == 1
    budget.take(3, 101, 1)
    assert budget.excess() == 3

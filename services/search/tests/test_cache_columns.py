"""Columns of a cached namespace: search in sorted numbers, ranges, and arrays that grow."""

from __future__ import annotations

import random

import numpy as np
import pytest

from everword_search.cache.columns.growing_column import GrowingColumn, Numbers, find, ranges

LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize("size", [0, 1, 2, 100, 1_000])
@pytest.mark.parametrize("spread", [1_000, 2**62])
def test_find_returns_places_of_numbers_or_minus_one(size: int, spread: int) -> None:
    rng = random.Random(size + spread)
    some: set[int] = set()
    while len(some) < size:
        some.add(rng.randint(-spread, spread))
    numbers = sorted(some)
    near = [number + step for number in numbers for step in (-1, 0, 1)]
    asked = [*near, *(rng.randint(-spread, spread) for _ in range(50)), 0, LEAST, MOST]
    rng.shuffle(asked)
    places = {number: place for place, number in enumerate(numbers)}
    found = find(np.array(numbers, np.int64), np.array(asked))
    assert found.tolist() == [places.get(one, -1) for one in asked]
    assert find(np.array(numbers, np.int64), np.zeros(0, np.int64)).tolist() == []


def test_find_handles_the_smallest_and_largest_numbers() -> None:
    retained = np.array([LEAST, 0, MOST])
    assert find(retained, np.array([MOST, 1, LEAST])).tolist() == [2, -1, 0]


def test_ranges_concatenates_ranges() -> None:
    starts, lengths = np.array([5, 0, 9]), np.array([2, 0, 3])
    assert ranges(starts, lengths).tolist() == [5, 6, 9, 10, 11]
    assert ranges(starts[:0], lengths[:0]).tolist() == []


@pytest.mark.parametrize("room", [0, 100])
def test_views_of_a_column_stay_valid_while_it_grows(room: int) -> None:
    column = GrowingColumn(np.int64, capacity=room)
    views, expected = [], []
    for size in (1, 62, 1, 1, 500, 3):
        before = len(column.values)
        column.extend(np.arange(before, before + size))
        views.append(column.values)
        expected.append(before + size)
    for view, size in zip(views, expected, strict=True):
        assert view.tolist() == list(range(size))
    assert column.nbytes >= 8 * expected[-1]


def test_column_with_known_capacity_allocates_no_more() -> None:
    column = GrowingColumn(np.int64, capacity=1_000)
    for _ in range(100):
        column.extend(np.arange(10))
    assert column.nbytes == 8_000
    column.trim()
    assert column.nbytes == 8_000
    few = GrowingColumn(np.int64, capacity=1_000)
    few.extend(np.arange(10))
    few.trim()
    assert (few.nbytes, few.values.tolist()) == (80, list(range(10)))


def test_column_stores_rows_of_several_numbers() -> None:
    column = GrowingColumn(np.float32, (3,))
    for number in range(100):
        column.extend(np.full((1, 3), number, np.float32))
    column.extend_zeros(2)
    assert column.values.shape == (102, 3)
    assert column.values[:, 1].tolist() == [*range(100), 0, 0]


def test_numbers_are_assigned_in_order_of_appearance() -> None:
    numbers = Numbers()
    assert numbers.of(["b", "a", "b"]) == [0, 1, 0]
    assert numbers.of(["c", "a"]) == [2, 1]
    assert numbers.things == ["b", "a", "c"]

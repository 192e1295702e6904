"""Numbers that ascend are found where they are, in memory and in a file, whatever is asked for."""

from __future__ import annotations

import bisect
import random
import tempfile
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from everword_search.cache.columns import Ascending, Kept
from everword_search.cache.reads import BLOCK, find_bounds
from everword_search.cache.storage import Storage
from support.cached_passages import everywhere, mapped

Places: TypeAlias = Callable[[], Storage]
LEAST, MOST = -(2**63), 2**63 - 1

SIZES = [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 1_000]


def some_numbers(rng: random.Random, size: int, spread: int) -> list[int]:
    """Return numbers that ascend; with a small spread, many are the same."""
    return sorted(rng.randint(-spread, spread) for _ in range(size))


def asked_of(rng: random.Random, numbers: list[int], spread: int) -> list[int]:
    """Return what is here, what is beside it, and anything, in no order."""
    near = [number + step for number in numbers for step in (-1, 0, 1)]
    asked = [*near, *(rng.randint(-spread, spread) for _ in range(50)), 0, LEAST, MOST]
    rng.shuffle(asked)
    return asked


@everywhere
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("spread", [3, 200, 2**62])
def test_numbers_are_counted_up_to_any(size: int, spread: int, make_storage: Places) -> None:
    """Also where a run of the same goes over several blocks."""
    rng = random.Random(size + spread)
    numbers = some_numbers(rng, size, spread)
    kept = Ascending(make_storage().keep(np.array(numbers, np.int64)))
    asked = asked_of(rng, numbers, spread)
    others = rng.sample(asked, len(asked))
    below, up_to = kept.bounds(np.array(asked), np.array(others))
    assert below.tolist() == [bisect.bisect_left(numbers, one) for one in asked]
    assert up_to.tolist() == [bisect.bisect_right(numbers, one) for one in others]
    assert kept.values.tolist() == numbers


@everywhere
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("spread", [1_000, 2**62])
def test_numbers_are_found_and_others_are_not(size: int, spread: int, make_storage: Places) -> None:
    rng = random.Random(size + spread)
    numbers: list[int] = []
    while len(numbers) < size:
        numbers = sorted({*numbers, rng.randint(-spread, spread)})
    kept = Ascending(make_storage().keep(np.array(numbers, np.int64)))
    asked = asked_of(rng, numbers, spread)
    places = {number: place for place, number in enumerate(numbers)}
    assert kept.find(np.array(asked)).tolist() == [places.get(one, -1) for one in asked]
    nothing = np.zeros(0, np.int64)
    assert kept.find(nothing).tolist() == kept.bounds(nothing, nothing)[0].tolist() == []


def test_the_least_and_the_most_are_numbers_as_others() -> None:
    kept = Ascending(Kept(np.array([LEAST, 0, MOST])))
    asked = np.array([MOST, 1, LEAST])
    assert kept.find(asked).tolist() == [2, -1, 0]
    begins, ends = kept.bounds(asked, asked)
    assert begins.tolist() == [2, 2, 0]
    assert ends.tolist() == [3, 2, 1]


def test_of_numbers_in_a_file_few_are_in_memory() -> None:
    kept = Ascending(mapped().keep(np.arange(100 * BLOCK)))
    assert kept.nbytes == 101 * 8


def test_rows_that_are_not_there_are_an_error() -> None:
    column = mapped().column(np.int64, (2,), is_sparse=True)
    column.extend(np.arange(20).reshape(10, 2))
    for rows in ([10], [3, -1], [2**40]):
        with pytest.raises(IndexError):
            column.take(np.array(rows))
    assert column.take(np.array([9, 0, 9])).tolist() == [[18, 19], [0, 1], [18, 19]]
    assert column.take_ranges(np.array([8, 1]), np.array([2, 1])).tolist() == [
        *([16, 17], [18, 19]),
        [2, 3],
    ]


@everywhere
def test_what_is_read_of_a_column_is_what_there_is(make_storage: Places) -> None:
    """As a slice: of what is beyond the end, nothing."""
    column = make_storage().column(np.int64)
    column.extend(np.arange(10))
    assert column.between(3, 6).tolist() == [3, 4, 5]
    assert column.between(8, 12).tolist() == [8, 9]
    assert column.between(12, 14).tolist() == column.between(4, 4).tolist() == []
    seen = column.between(0, 10)
    column.extend(np.arange(100))
    assert seen.tolist() == list(range(10))
    assert column.between(9, 12).tolist() == [9, 0, 1]


def test_numbers_that_cannot_be_read_are_an_error() -> None:
    numbers = np.arange(3 * BLOCK)
    firsts = np.append(numbers[::BLOCK], numbers[-1:])
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(numbers[: 2 * BLOCK].tobytes())
        within, beyond = np.array([5, BLOCK + 7]), np.array([5, 2 * BLOCK + 7])
        begins, _ = find_bounds(numbers * 0, firsts, file.fileno(), 0, within, within)
        assert begins.tolist() == within.tolist()
        with pytest.raises(OSError, match="cannot be read"):
            find_bounds(numbers, firsts, file.fileno(), 0, beyond, beyond)
    with pytest.raises(ValueError, match="first ones"):
        find_bounds(numbers, firsts[:-1], -1, 0, within, within)
    with pytest.raises(ValueError, match="last ones"):
        find_bounds(numbers, firsts, -1, 0, within, within[:1])

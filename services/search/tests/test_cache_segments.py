"""Rows in groups: found by id and by place, however the groups were merged."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from everword_search.cache import segments
from everword_search.cache.columns import Numbers, ranges
from everword_search.cache.postings import build_postings
from everword_search.cache.segments import (
    Segment,
    make_segment,
    rows_between,
    rows_of,
    with_segment,
)
from everword_search.cache.storage import Memory, Storage
from support.cached_passages import everywhere, mapped

Places: TypeAlias = Callable[[], Storage]
SEEDS = range(20)


def grown(
    rng: random.Random, ids: list[int], places: list[int], storage: Storage
) -> tuple[Segment, ...]:
    """Return the segments of rows that came in groups of random sizes; each row holds the word of its number."""
    kept: tuple[Segment, ...] = ()
    start = 0
    while start < len(ids):
        stop = min(len(ids), start + rng.randint(1, 12))
        rows = np.arange(start, stop)
        postings = build_postings(rows, rows - start, np.ones(len(rows), np.int32))
        added = make_segment(
            start, np.array(ids[start:stop]), np.array(places[start:stop]), postings
        )
        kept = with_segment(kept, added, storage)
        start = stop
    return kept


def random_rows(rng: random.Random) -> tuple[list[int], list[int]]:
    """Return ids, each once and in no order, and places, of which several are the same."""
    count = rng.randint(1, 120)
    return rng.sample(range(1000), count), [rng.randint(0, 200) for _ in range(count)]


@everywhere
@pytest.mark.parametrize(("largest", "lasting"), [(10, 3), (16_384, 4_096), (16_384, 1)])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_row_is_in_one_segment_with_its_words(
    seed: int, largest: int, lasting: int, make_storage: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_LARGEST", largest)
    monkeypatch.setattr(segments, "_LASTING_SHARE", largest // lasting)
    rng = random.Random(seed)
    ids, places = random_rows(rng)
    kept = grown(rng, ids, places, make_storage())
    edges = [edge for each in kept for edge in (each.start, each.stop)]
    assert edges == sorted(edges)
    assert edges[1:-1:2] == edges[2::2]
    assert (edges[0], edges[-1]) == (0, len(ids))
    for each in kept:
        own = range(each.start, each.stop)
        by_id = zip(each.ids.values.tolist(), each.id_rows.values.tolist(), strict=True)
        assert dict(by_id) == {ids[row]: row for row in own}
        assert (
            [places[row] for row in each.place_rows.values]
            == each.places.values.tolist()
            == sorted(places[row] for row in own)
        )
        assert each.postings.words.values.tolist() == list(own)
        assert each.postings.rows.values.tolist() == [row - each.start for row in own]


@everywhere
def test_there_are_few_segments_and_none_is_too_large(
    make_storage: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_LARGEST", 256)
    rng = random.Random(1)
    kept = grown(rng, list(range(4000)), list(range(4000)), make_storage())
    sizes = [each.stop - each.start for each in kept]
    assert max(sizes) <= 256
    assert len(sizes) < 4000 / 64


def test_segments_that_last_are_where_the_copy_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_LARGEST", 256)
    storage = mapped()
    before = storage.nbytes
    kept = grown(random.Random(2), list(range(1000)), list(range(1000)), storage)
    large = [each.stop - each.start >= 64 for each in kept]
    assert set(large) == {True, False}
    assert [each.is_kept for each in kept] == large
    assert [each.nbytes == 0 for each in kept] == large
    assert storage.nbytes > before
    # In memory, nothing is anywhere else.
    kept = grown(random.Random(2), list(range(1000)), list(range(1000)), Memory())
    assert not any(each.is_kept for each in kept)
    assert all(each.nbytes > 0 for each in kept)


@everywhere
@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_found_by_id(
    seed: int, make_storage: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_LASTING_SHARE", 2_048)
    rng = random.Random(seed)
    ids, places = random_rows(rng)
    kept = grown(rng, ids, places, make_storage())
    asked = sorted(rng.sample(range(1000), 300))
    found = rows_of(kept, np.array(asked)).tolist()
    assert sorted(found) == [row for row, id_ in enumerate(ids) if id_ in set(asked)]


@everywhere
@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_found_by_ranges_of_places(
    seed: int, make_storage: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_LASTING_SHARE", 2_048)
    rng = random.Random(seed)
    ids, places = random_rows(rng)
    kept = grown(rng, ids, places, make_storage())
    # Ranges that do not meet, some of which hold nothing.
    edges = sorted(rng.sample(range(-5, 210), 12))
    first, last = np.array(edges[::2]), np.array(edges[1::2])
    found = rows_between(kept, first, last).tolist()
    inside = [any(a <= p <= b for a, b in zip(first, last, strict=True)) for p in places]
    assert sorted(found) == [row for row, is_inside in enumerate(inside) if is_inside]


def test_without_segments_nothing_is_found() -> None:
    some = np.array([1, 2])
    assert rows_of((), some).tolist() == rows_between((), some, some).tolist() == []


def test_ranges_follow_each_other() -> None:
    starts, lengths = np.array([5, 0, 9]), np.array([2, 0, 3])
    assert ranges(starts, lengths).tolist() == [5, 6, 9, 10, 11]
    assert ranges(starts[:0], lengths[:0]).tolist() == []


# Columns


@everywhere
def test_what_was_read_of_a_column_stays_while_it_grows(make_storage: Places) -> None:
    storage = make_storage()
    column = storage.column(np.int64)
    views, expected = [], []
    for size in (1, 62, 1, 1, 500, 3):
        before = len(column.values)
        column.extend(np.arange(before, before + size))
        views.append(column.values)
        expected.append(before + size)
    for view, size in zip(views, expected, strict=True):
        assert view.tolist() == list(range(size))
    assert column.nbytes + storage.nbytes >= 8 * expected[-1]


@everywhere
def test_a_column_has_rows_of_several_numbers(make_storage: Places) -> None:
    column = make_storage().column(np.float32, (3,))
    for number in range(100):
        column.extend(np.full((1, 3), number, np.float32))
    assert column.values.shape == (100, 3)
    assert column.values[:, 1].tolist() == list(range(100))


def test_things_have_numbers_in_the_order_in_which_they_come() -> None:
    numbers = Numbers()
    assert numbers.of(["b", "a", "b"]) == [0, 1, 0]
    assert numbers.of(["c", "a"]) == [2, 1]
    assert numbers.things == ["b", "a", "c"]

"""Segments of rows: rows are found by their position after any merges of segments."""

from __future__ import annotations

import random

import numpy as np
import pytest

from everword_search.cache.columns import segments
from everword_search.cache.columns.postings import build_postings
from everword_search.cache.columns.segments import (
    Segment,
    make_segment,
    rows_between,
    with_segment,
)

SEEDS = range(20)


def grown(rng: random.Random, places: list[int]) -> tuple[Segment, ...]:
    """Return the segments after adding rows in groups of random sizes; the word of each row is its number."""
    retained: tuple[Segment, ...] = ()
    start = 0
    while start < len(places):
        stop = min(len(places), start + rng.randint(1, 12))
        rows = np.arange(start, stop)
        postings = build_postings(rows, rows - start, np.ones(len(rows), np.int32))
        added = make_segment(start, np.array(places[start:stop]), postings)
        retained = with_segment(retained, added)
        start = stop
    return retained


def random_places(rng: random.Random) -> list[int]:
    """Return random positions, some of them several times."""
    return [rng.randint(0, 200) for _ in range(rng.randint(1, 120))]


@pytest.mark.parametrize("largest", [10, 16_384])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_row_is_in_exactly_one_segment_with_its_words(
    seed: int, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_LARGEST", largest)
    rng = random.Random(seed)
    places = random_places(rng)
    retained = grown(rng, places)
    edges = [edge for each in retained for edge in (each.start, each.stop)]
    assert edges == sorted(edges)
    assert edges[1:-1:2] == edges[2::2]
    assert (edges[0], edges[-1]) == (0, len(places))
    for each in retained:
        own = range(each.start, each.stop)
        assert (
            [places[row] for row in each.place_rows]
            == each.places.tolist()
            == sorted(places[row] for row in own)
        )
        assert each.postings.words.tolist() == list(own)
        assert each.postings.rows.tolist() == [row - each.start for row in own]


def test_segments_are_few_and_limited_in_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_LARGEST", 256)
    rng = random.Random(1)
    retained = grown(rng, list(range(4000)))
    sizes = [each.stop - each.start for each in retained]
    assert max(sizes) <= 256
    assert len(sizes) < 4000 / 64


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_between_finds_rows_by_ranges_of_places(seed: int) -> None:
    rng = random.Random(seed)
    places = random_places(rng)
    retained = grown(rng, places)
    # Disjoint ranges, some of them empty.
    edges = sorted(rng.sample(range(-5, 210), 12))
    first, last = np.array(edges[::2]), np.array(edges[1::2])
    found = rows_between(retained, first, last).tolist()
    inside = [any(a <= p <= b for a, b in zip(first, last, strict=True)) for p in places]
    assert sorted(found) == [row for row, is_inside in enumerate(inside) if is_inside]


def test_rows_between_without_segments_returns_nothing() -> None:
    some = np.array([1, 2])
    assert rows_between((), some, some).tolist() == []

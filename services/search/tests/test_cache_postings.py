"""Postings of a cached namespace contain the same words and rows after packing and merging."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest

from everword_search.cache.columns.postings import Postings, build_postings, merge_postings

#: Row and occurrences by word.
Known = dict[int, list[tuple[int, int]]]
SEEDS = range(20)
LEAST, MOST = -(2**63), 2**63 - 1


def random_words(rng: random.Random, start: int, count: int) -> list[tuple[int, int, int]]:
    """Return entries (word, row, occurrences) for random words of `count` rows from `start` on."""
    vocabulary = [LEAST, MOST, 0, *(rng.randint(LEAST, MOST) for _ in range(rng.randint(0, 12)))]
    return [
        (word, row, rng.randint(1, 255))
        for row in range(start, start + count)
        for word in rng.sample(vocabulary, rng.randint(0, len(vocabulary)))
    ]


def packed(entries: list[tuple[int, int, int]]) -> Postings:
    words, rows, occurrences = (np.array([e[n] for e in entries], np.int64) for n in range(3))
    return build_postings(words, rows, occurrences.astype(np.int32))


def known(entries: list[tuple[int, int, int]]) -> Known:
    found: Known = defaultdict(list)
    for word, row, occurrences in entries:
        found[word].append((row, occurrences))
    return dict(found)


def unpacked(postings: Postings) -> Known:
    found = {}
    words = postings.words
    for word, span in zip(words.tolist(), postings.spans(words).tolist(), strict=True):
        rows, occurrences = postings.between(*span)
        found[word] = list(zip(rows.tolist(), occurrences.tolist(), strict=True))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_postings_list_the_rows_of_every_word(seed: int) -> None:
    rng = random.Random(seed)
    entries = random_words(rng, 0, rng.randint(0, 30))
    postings = packed(entries)
    assert unpacked(postings) == known(entries)
    assert postings.words.tolist() == sorted({word for word, _, _ in entries})


@pytest.mark.parametrize("seed", SEEDS)
def test_merged_postings_contain_both_inputs(seed: int) -> None:
    rng = random.Random(seed)
    first, second = rng.randint(0, 20), rng.randint(0, 20)
    before, after = random_words(rng, 0, first), random_words(rng, 0, second)
    merged = merge_postings(packed(before), packed(after), first)
    moved = [(word, row + first, occurrences) for word, row, occurrences in after]
    assert unpacked(merged) == known([*before, *moved])
    assert merged.rows.dtype == np.uint16
    assert merged.occurrences.dtype == np.uint8


def test_postings_contain_the_last_possible_row() -> None:
    last = 2**16 - 1
    merged = merge_postings(packed([(5, 0, 1)]), packed([(5, 0, 2)]), last)
    assert unpacked(merged) == {5: [(0, 1), (last, 2)]}


def test_postings_cap_occurrences_at_255() -> None:
    assert unpacked(packed([(5, 0, 255), (5, 1, 256)])) == {5: [(0, 255), (1, 255)]}


@pytest.mark.parametrize("seed", SEEDS)
def test_postings_spans_finds_known_words_only(seed: int) -> None:
    rng = random.Random(seed)
    entries = random_words(rng, 0, 10)
    postings = packed(entries)
    asked = [
        LEAST,
        MOST,
        7,
        *(word for word, _, _ in entries),
        *(w + 1 for w, _, _ in entries if w < MOST),
    ]
    stored = known(entries)
    spans = postings.spans(np.array(asked, np.int64)).tolist()
    for word, span in zip(asked, spans, strict=True):
        rows, occurrences = postings.between(*span)
        found = list(zip(rows.tolist(), occurrences.tolist(), strict=True))
        assert found == stored.get(word, [])


def test_empty_postings_have_no_words() -> None:
    postings = packed([])
    assert postings.spans(np.array([1, 2])).tolist() == [[0, 0], [0, 0]]
    assert unpacked(merge_postings(postings, postings, 0)) == {}

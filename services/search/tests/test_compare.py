"""`match_words`, compiled and in numpy, gives the same results as a slow reference in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from everword_search.kernels.compiled import MOST_WORDS, match_words
from support.read_only import read_only

SEEDS = range(80)
#: Words that differ by a multiple of this have the same last bits.
ENDINGS = 1 << 12
LONGEST_DISTANCE = 8
FAR = 2**63 - 1


@pytest.fixture(params=["compare", "compare_numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both versions; the compiled one is skipped if it was not built."""
    module = pytest.importorskip(f"everword_search.kernels.{request.param}")
    monkeypatch.setitem(globals(), "match_words", module.match_words)


@dataclass(frozen=True)
class Matching:
    """The arguments of `match_words`."""

    words: Sequence[int]
    begins: Sequence[int]
    counts: Sequence[int]
    asked: Sequence[int]
    weights: Sequence[float]
    #: Number of each pair of words by the columns of both, the smaller one first.
    pairs: dict[tuple[int, int], int]
    names: Sequence[int] = ()
    k1: float = 0.9
    b: float = 0.4
    mean_length: float = 60.0
    pair_distance: int = 3

    def run(self, array: Callable[..., Any] = np.array) -> list[tuple[float, ...]]:
        """Return the results of `match_words` for each passage."""
        numbers = np.full((len(self.asked), len(self.asked)), -1, np.int64)
        for (first, second), number in self.pairs.items():
            numbers[first, second] = numbers[second, first] = number
        numbers.setflags(write=array is np.array)
        words, asked, names = (array(v, np.uint32) for v in (self.words, self.asked, self.names))
        begins, counts = (array(v, np.int64) for v in (self.begins, self.counts))
        weights = array(self.weights, np.float64)
        how = self.k1, self.b, self.mean_length, self.pair_distance
        found = match_words(words, begins, counts, asked, weights, numbers, names, *how)
        return list(zip(*(each.tolist() for each in found), strict=True))

    def reference(self) -> list[tuple[float, ...]]:
        places = zip(self.begins, self.counts, strict=True)
        return [self._compare(self.words[begin : begin + count]) for begin, count in places]

    def _compare(self, words: Sequence[int]) -> tuple[float, ...]:
        total = sum(self.weights) or 1.0
        norm = self.k1 * (1 - self.b + self.b * len(words) / self.mean_length)
        bm25, coverage, bits = 0.0, 0.0, 0
        for column, (asked, weight) in enumerate(zip(self.asked, self.weights, strict=True)):
            if frequency := words.count(asked):
                bm25 += weight * frequency / (frequency + norm) / total
                coverage += weight / total
                bits += 2**column
        column_of = {asked: column for column, asked in enumerate(self.asked)}
        places = [(place, column_of[word]) for place, word in enumerate(words) if word in column_of]
        close = {
            self.pairs.get((min(first, second), max(first, second)))
            for (before, first), (after, second) in combinations(places, 2)
            if after - before <= self.pair_distance
        }
        return bm25, coverage, bits, len(close - {None}), bool(set(words) & set(self.names))


def random_matching(rng: np.random.Generator) -> Matching:
    width = int(rng.choice([0, 1, 2, 3, 7, 20, MOST_WORDS]))
    drawn = rng.choice(2**32, width + 3, replace=False).tolist()
    asked, strangers = drawn[:width], drawn[width:]
    # A name may also be one of the question's words.
    names = [*asked[:1], *strangers[:2]][int(rng.integers(3)) :]
    alike = [word ^ (ENDINGS << int(rng.integers(20))) for word in [*asked, *names]]
    often = rng.permutation(asked)[:4].tolist()
    vocabulary = [*asked, *often * int(rng.integers(12)), *alike, *strangers, 0, 2**32 - 1]
    words = rng.choice(vocabulary, int(rng.integers(200))).tolist()
    # Passages may overlap, have gaps between them, and are not sorted.
    begins = rng.integers(len(words) + 1, size=12)
    counts = rng.integers(np.minimum(len(words) - begins, 60) + 1)
    possible = list(combinations(range(width), 2))
    paired = rng.permutation(len(possible))[: rng.integers(70)].tolist()
    pairs = {possible[place]: number for number, place in enumerate(paired)}
    weights = rng.uniform(0.2, 9, width) * (rng.random() < 0.9)
    how = rng.uniform(0.1, 2), rng.random(), rng.uniform(1, 90)
    places, distance = (begins.tolist(), counts.tolist()), int(rng.integers(LONGEST_DISTANCE + 1))
    return Matching(words, *places, asked, weights.tolist(), pairs, names, *how, distance)


@pytest.mark.parametrize("seed", SEEDS)
def test_compare_equals_a_slow_reference(seed: int) -> None:
    matching = random_matching(np.random.default_rng(seed))
    found, expected = matching.run(), matching.reference()
    assert matching.run(read_only) == found
    assert [each[2:] for each in found] == [each[2:] for each in expected]
    for one, other in zip(found, expected, strict=True):
        assert one[:2] == pytest.approx(other[:2], rel=1e-12, abs=1e-12)


def test_random_passages_cover_all_cases_of_compare() -> None:
    """Checks the random data of the test above: it must contain every case."""
    cases = [random_matching(np.random.default_rng(seed)) for seed in SEEDS]
    found = [each for case in cases for each in case.reference()]
    assert {len(case.asked) for case in cases} >= {0, 1, 2, MOST_WORDS}
    assert max(each[2] for each in found) >= 2**63
    assert max(each[3] for each in found) > LONGEST_DISTANCE
    assert {each[4] for each in found} == {0, 1}
    for distance in range(1, LONGEST_DISTANCE + 1):
        reached = [replace(case, pair_distance=distance).reference() for case in cases]
        nearer = [replace(case, pair_distance=distance - 1).reference() for case in cases]
        assert reached != nearer


#: The question has the adjacent words 7 and 8, and the name 5.
BOTH = Matching([], [], [], [7, 8], [1.0, 3.0], {(0, 1): 0}, [5])


def test_compare_weights_words_by_information() -> None:
    passage = replace(BOTH, words=[8, 1, 1, 8, 5, 1], begins=[0], counts=[6], mean_length=12.0)
    [(bm25, coverage, bits, close, mentioned)] = passage.run()
    assert bm25 == pytest.approx(3 / 4 * 2 / (2 + 0.9 * 0.8))
    assert (coverage, bits, close, mentioned) == (0.75, 0b10, 0, 1)


@pytest.mark.parametrize("allowed", range(LONGEST_DISTANCE + 1))
@pytest.mark.parametrize("distance", range(1, LONGEST_DISTANCE + 1))
@pytest.mark.parametrize("between", [1, 9], ids=["others", "asked"])
def test_compare_counts_a_pair_up_to_the_pair_distance(
    distance: int, allowed: int, between: int
) -> None:
    words = [7, *[between] * (distance - 1), 8]
    case = replace(BOTH, asked=[7, 9, 8], weights=[1, 1, 1], pairs={(0, 2): 0}, begins=[0])
    for order in (words, words[::-1]):
        found = replace(case, words=order, counts=[len(words)], pair_distance=allowed).run()
        assert [close for *_, close, _ in found] == [distance <= allowed]


def test_compare_counts_each_pair_once_and_within_one_passage() -> None:
    case = replace(BOTH, words=[1, 7, 8, 7, 8, 1], begins=[0, 2, 0, 1], counts=[2, 1, 4, 5])
    assert [close for *_, close, _ in case.run()] == [0, 0, 1, 1]


@pytest.mark.parametrize("name", [5, 5 + ENDINGS, 7, 7 + ENDINGS])
def test_compare_ignores_hashes_that_share_only_low_bits(name: int) -> None:
    words = [7 + ENDINGS, 8 + (1 << 31), 5 + ENDINGS]
    case = replace(BOTH, words=words, begins=[0], counts=[3], names=[name])
    assert case.run() == [(0, 0, 0, 0, name in words)]


def test_compare_of_empty_passages_returns_zeros() -> None:
    assert BOTH.run() == []
    empty = replace(BOTH, begins=[0, 0], counts=[0, 0])
    assert empty.run() == [(0, 0, 0, 0, 0)] * 2
    at_the_end = replace(BOTH, words=[7, 8], begins=[2, 1], counts=[0, 1])
    assert [each[2] for each in at_the_end.run()] == [0, 0b10]
    assert Matching([7, 8], [0], [2], [], [], {}).run() == [(0, 0, 0, 0, 0)]


@pytest.mark.parametrize(
    ("begin", "count"),
    [(-1, 1), (0, 4), (3, 1), (4, 0), (2, -1), (0, -1), (FAR, 1), (1, FAR), (-FAR, 0)],
)
def test_compare_refuses_words_out_of_range(begin: int, count: int) -> None:
    with pytest.raises(IndexError, match="of 3"):
        replace(BOTH, words=[7, 8, 5], begins=[0, begin], counts=[3, count]).run()


def test_compare_refuses_more_than_64_query_words() -> None:
    most = Matching([9], [0], [1], range(MOST_WORDS), [1.0] * MOST_WORDS, {})
    assert [bits for _, _, bits, _, _ in most.run()] == [2**9]
    with pytest.raises(ValueError, match="65 words"):
        replace(most, asked=range(65), weights=[1.0] * 65).run()


def test_compare_refuses_arrays_of_different_lengths() -> None:
    one = replace(BOTH, words=[7], begins=[0], counts=[1])
    for wrong in [{"weights": [1.0]}, {"weights": [1.0] * 3}, {"counts": [1, 0]}, {"counts": []}]:
        with pytest.raises(ValueError, match="each"):
            replace(one, **wrong).run()  # type: ignore[arg-type]

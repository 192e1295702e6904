"""The compiled comparison of passages with a question says what a slow one in plain Python says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from everword_search.ranking.arrays import Floats, Ints
from everword_search.ranking.compare import DESCRIBED, MOST_WORDS, describe_turns, match_words

SEEDS = range(80)
#: Words that differ by a multiple of this have the same last bits.
ENDINGS = 1 << 12
LONGEST_DISTANCE = 8
ALONE_SHARE, MEANING_SHARE = 0.8, 0.02
exactly = pytest.approx


@dataclass(frozen=True)
class Matching:
    """What `match_words` is given."""

    words: Sequence[int]
    begins: Sequence[int]
    counts: Sequence[int]
    asked: Sequence[int]
    weights: Sequence[float]
    #: Number of each pair, by the columns of its words, of which the first is smaller.
    pairs: dict[tuple[int, int], int]
    names: Sequence[int] = ()
    k1: float = 0.9
    b: float = 0.4
    mean_length: float = 60.0
    pair_distance: int = 3

    def run(self, array: Callable[..., Any] = np.array) -> list[tuple[float, ...]]:
        """Return what is said of each passage."""
        numbers = np.full((len(self.asked), len(self.asked)), -1, np.int64)
        for (first, second), number in self.pairs.items():
            numbers[first, second] = numbers[second, first] = number
        found = match_words(
            array(self.words, np.uint32),
            array(self.begins, np.int64),
            array(self.counts, np.int64),
            array(self.asked, np.uint32),
            array(self.weights, np.float64),
            numbers,
            array(self.names, np.uint32),
            self.k1,
            self.b,
            self.mean_length,
            self.pair_distance,
        )
        return list(zip(*(each.tolist() for each in found), strict=True))

    def slowly(self) -> list[tuple[float, ...]]:
        places = zip(self.begins, self.counts, strict=True)
        return [self._compare(self.words[begin : begin + count]) for begin, count in places]

    def _compare(self, words: Sequence[int]) -> tuple[float, ...]:
        total = sum(self.weights) or 1.0
        norm = self.k1 * (1 - self.b + self.b * len(words) / self.mean_length)
        bm25 = coverage = 0.0
        bits = 0
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
        mentioned = not set(words).isdisjoint(self.names)
        return bm25, coverage, bits, len(close - {None}), mentioned


def random_matching(rng: np.random.Generator) -> Matching:
    width = int(rng.choice([0, 1, 2, 3, 7, 20, MOST_WORDS]))
    drawn = rng.choice(2**32, width + 3, replace=False).tolist()
    asked, strangers = drawn[:width], drawn[width:]
    # A name may be asked for as a word, too.
    names = [*asked[:1], *strangers[:2]][int(rng.integers(3)) :]
    alike = [word ^ (ENDINGS << int(rng.integers(20))) for word in [*asked, *names]]
    often = rng.permutation(asked)[:4].tolist()
    vocabulary = [*asked, *often * int(rng.integers(12)), *alike, *strangers, 0, 2**32 - 1]
    words = rng.choice(vocabulary, int(rng.integers(200))).tolist()
    # Passages overlap, have words between them, and are in no order.
    begins = rng.integers(len(words) + 1, size=12)
    counts = rng.integers(np.minimum(len(words) - begins, 60) + 1)
    possible = list(combinations(range(width), 2))
    paired = rng.permutation(len(possible))[: rng.integers(70)].tolist()
    weights = rng.uniform(0.2, 9, width) * (rng.random() < 0.9)
    return Matching(
        words,
        begins.tolist(),
        counts.tolist(),
        asked,
        weights.tolist(),
        {possible[place]: number for number, place in enumerate(paired)},
        names,
        rng.uniform(0.1, 2),
        rng.random(),
        rng.uniform(1, 90),
        int(rng.integers(LONGEST_DISTANCE + 1)),
    )


def read_only(values: Any, kind: Any) -> Any:
    """Return an array as it is read from bytes."""
    return np.frombuffer(np.array(values, kind).tobytes(), kind)


@pytest.mark.parametrize("array", [np.array, read_only], ids=["array", "bytes"])
@pytest.mark.parametrize("seed", SEEDS)
def test_passages_are_compared_as_slowly(seed: int, array: Callable[..., Any]) -> None:
    matching = random_matching(np.random.default_rng(seed))
    found, expected = matching.run(array), matching.slowly()
    assert [each[2:] for each in found] == [each[2:] for each in expected]
    for one, other in zip(found, expected, strict=True):
        assert one[:2] == exactly(other[:2], rel=1e-12, abs=1e-12)


def test_the_random_passages_tell_right_from_wrong() -> None:
    """What they never have would be compared with nothing."""
    cases = [random_matching(np.random.default_rng(seed)) for seed in SEEDS]
    found = [(case, each) for case in cases for each in case.slowly()]
    assert {len(case.asked) for case in cases} >= {0, 1, 2, MOST_WORDS}
    assert any(each[2] >= 2**63 for _, each in found)
    assert max(each[3] for _, each in found) > LONGEST_DISTANCE
    assert {each[4] for _, each in found} == {0, 1}
    for distance in range(1, LONGEST_DISTANCE + 1):
        reached = [replace(case, pair_distance=distance).slowly() for case in cases]
        nearer = [replace(case, pair_distance=distance - 1).slowly() for case in cases]
        assert reached != nearer


#: Words are 7 and 8, beside each other in the question, and 5, which is a name.
BOTH = Matching([], [], [], [7, 8], [1.0, 3.0], {(0, 1): 0}, [5])


def test_words_count_by_what_they_tell() -> None:
    passage = replace(BOTH, words=[8, 1, 1, 8, 5, 1], begins=[0], counts=[6], mean_length=12.0)
    [(bm25, coverage, bits, close, mentioned)] = passage.run()
    assert bm25 == exactly(3 / 4 * 2 / (2 + 0.9 * 0.8))
    assert (coverage, bits, close, mentioned) == (0.75, 0b10, 0, 1)


@pytest.mark.parametrize("allowed", range(5))
@pytest.mark.parametrize("distance", range(1, 5))
@pytest.mark.parametrize("turned", [False, True])
def test_a_pair_is_close_up_to_a_distance(distance: int, allowed: int, turned: bool) -> None:
    words = [7, *[1] * (distance - 1), 8]
    case = replace(BOTH, words=words[:: -1 if turned else 1], begins=[0], counts=[len(words)])
    [(*_, close, _)] = replace(case, pair_distance=allowed).run()
    assert close == (distance <= allowed)


def test_passages_share_no_pairs_and_each_pair_counts_once() -> None:
    case = replace(BOTH, words=[1, 7, 8, 7, 8, 1], begins=[0, 2, 0, 1], counts=[2, 1, 4, 5])
    assert [close for *_, close, _ in case.run()] == [0, 0, 1, 1]


@pytest.mark.parametrize("name", [5, 5 + ENDINGS, 7, 7 + ENDINGS])
def test_what_ends_like_a_word_is_none(name: int) -> None:
    words = [7 + ENDINGS, 8 + (1 << 31), 5 + ENDINGS]
    [(bm25, coverage, bits, close, mentioned)] = replace(
        BOTH, words=words, begins=[0], counts=[3], names=[name]
    ).run()
    assert (bm25, coverage, bits, close, mentioned) == (0, 0, 0, 0, name in words)


def test_nothing_to_compare() -> None:
    assert BOTH.run() == []
    empty = replace(BOTH, begins=[0, 0], counts=[0, 0])
    assert empty.run() == [(0, 0, 0, 0, 0)] * 2
    at_the_end = replace(BOTH, words=[7, 8], begins=[2, 1], counts=[0, 1])
    assert [bits for _, _, bits, _, _ in at_the_end.run()] == [0, 0b10]
    unasked = Matching([7, 8], [0], [2], [], [], {})
    assert unasked.run() == [(0, 0, 0, 0, 0)]


@pytest.mark.parametrize(
    ("begin", "count"),
    [
        (-1, 1),
        (0, 4),
        (3, 1),
        (4, 0),
        (2, -1),
        (0, -1),
        (2**63 - 1, 1),
        (1, 2**63 - 1),
        (-(2**63), 0),
    ],
)
def test_words_that_there_are_not_are_an_error(begin: int, count: int) -> None:
    with pytest.raises(IndexError, match="of 3"):
        replace(BOTH, words=[7, 8, 5], begins=[0, begin], counts=[3, count]).run()


def test_more_words_than_there_are_bits_for_are_an_error() -> None:
    most = Matching([9], [0], [1], range(MOST_WORDS), [1.0] * MOST_WORDS, {})
    assert [bits for _, _, bits, _, _ in most.run()] == [2**9]
    with pytest.raises(ValueError, match="65 words"):
        replace(most, asked=range(65), weights=[1.0] * 65).run()


def test_arrays_that_do_not_fit_are_an_error() -> None:
    one = replace(BOTH, words=[7], begins=[0], counts=[1])
    for wrong in [{"weights": [1.0]}, {"weights": [1.0] * 3}, {"counts": [1, 0]}, {"counts": []}]:
        with pytest.raises(ValueError, match="each"):
            replace(one, **wrong).run()  # type: ignore[arg-type]


@dataclass(frozen=True)
class Turns:
    """What `describe_turns` is given."""

    starts: Ints
    sessions: Ints
    bm25: Floats
    coverage: Floats
    present: np.ndarray[Any, np.dtype[np.uint64]]
    close: Floats
    mentions: Floats
    cosines: Floats
    weights: Floats
    unknown: int
    rarest: int
    #: Of each passage's message.
    lengths: np.ndarray[Any, np.dtype[np.uint16]]
    asks: np.ndarray[Any, np.dtype[np.uint8]]

    def run(self) -> tuple[dict[str, Floats], Ints]:
        found, best = describe_turns(*vars(self).values(), ALONE_SHARE, MEANING_SHARE)
        return dict(zip(DESCRIBED, found, strict=True)), best


class Slowly:
    """Describes memories one by one."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        ends = [*turns.starts.tolist()[1:], len(turns.bm25)]
        self._passages = [
            range(start, end) for start, end in zip(turns.starts.tolist(), ends, strict=True)
        ]
        self._sessions = turns.sessions.tolist()

    def best(self) -> list[int]:
        values = [
            words + (0 if math.isnan(cosine) else MEANING_SHARE * cosine)
            for words, cosine in zip(
                self._turns.bm25.tolist(), self._turns.cosines.tolist(), strict=True
            )
        ]
        return [max(passages, key=values.__getitem__) for passages in self._passages]

    def describe(self, memory: int) -> dict[str, float]:
        turns, before, after = self._turns, self._at(memory, -1), self._at(memory, 1)
        rare = [self._bits(passage, turns.rarest) for passage in self._passages[memory]]
        around = {
            f"{name}_{side}{far}": self._around(value, memory, far * sign)
            for name, value in (("sb", self._words), ("de", self._meaning))
            for side, sign in (("p", -1), ("n", 1))
            for far in (1, 2)
        }
        return {
            **around,
            "sb": self._words(memory),
            "de": self._meaning(memory),
            "cov": self._most(turns.coverage, memory),
            "bg": self._most(turns.close, memory),
            "m_mention": self._most(turns.mentions, memory),
            "cov_rare": max(rare),
            "covm": self._share(self._held(memory)),
            "covw": self._within(memory),
            "cov3": self._around(self._within, memory, -1) + self._around(self._within, memory, 1),
            "m_hit": len(self._held(memory)),
            "m_unk": len(_words(turns.unknown) - self._together(memory)),
            "d_len": self._length(memory),
            "d_q": self._asks(memory),
            "d_prevlen": 0 if before is None else self._length(before),
            "d_prevq": 0 if before is None else self._asks(before),
            "d_pos": sum(self._at(memory, -far) is not None for far in (1, 2)),
            "d_last": sum(self._at(memory, far) is not None for far in (1, 2)),
        }

    def _at(self, memory: int, distance: int) -> int | None:
        """Return the memory so many turns later in the same session."""
        same = [n for n, each in enumerate(self._sessions) if each == self._sessions[memory]]
        place = same.index(memory) + distance
        return same[place] if 0 <= place < len(same) else None

    def _around(self, value: Callable[[int], float], memory: int, distance: int) -> float:
        near = self._at(memory, distance)
        if self._sessions.count(self._sessions[memory]) == 1:
            found = ALONE_SHARE * value(memory)
        else:
            found = 0.0 if near is None else value(near)
        return 0.0 if math.isnan(found) else found

    def _most(self, values: Floats, memory: int) -> float:
        return float(max(values[passage] for passage in self._passages[memory]))

    def _words(self, memory: int) -> float:
        return self._most(self._turns.bm25, memory)

    def _meaning(self, memory: int) -> float:
        cosines = [float(self._turns.cosines[passage]) for passage in self._passages[memory]]
        return max((each for each in cosines if not math.isnan(each)), default=math.nan)

    def _bits(self, passage: int, mask: int) -> int:
        return (int(self._turns.present[passage]) & mask).bit_count()

    def _held(self, memory: int) -> set[int]:
        return set().union(
            *(_words(int(self._turns.present[passage])) for passage in self._passages[memory])
        )

    def _together(self, memory: int) -> set[int]:
        near = [self._at(memory, distance) for distance in (-1, 0, 1)]
        return set().union(*(self._held(each) for each in near if each is not None))

    def _share(self, words: set[int]) -> float:
        total = float(self._turns.weights.sum()) or 1.0
        return sum(float(self._turns.weights[word]) for word in words) / total

    def _within(self, memory: int) -> float:
        return self._share(self._together(memory))

    def _length(self, memory: int) -> float:
        return math.log1p(self._turns.lengths[self._passages[memory].start])

    def _asks(self, memory: int) -> float:
        return float(self._turns.asks[self._passages[memory].start] > 0)


def _words(mask: int) -> set[int]:
    return {word for word in range(MOST_WORDS) if mask >> word & 1}


HEADER = np.dtype([("asks", "u1"), ("between", "u1"), ("words", "u2"), ("after", "u4")])


def random_turns(rng: np.random.Generator) -> Turns:
    width = int(rng.choice([0, 1, 5, MOST_WORDS]))
    sizes = rng.choice([1, 1, 2, 3, 9], int(rng.integers(1, 8)))
    sessions = np.repeat(np.cumsum(rng.integers(1, 4, len(sizes))), sizes)
    counts = rng.choice([1, 1, 1, 2, 6], len(sessions))
    passages = int(counts.sum())
    often = rng.choice([0.02, 0.2, 0.7])
    bits = [random_bits(rng, width, often) for _ in range(passages)]
    cosines = rng.normal(0, 1.5, passages)
    cosines[rng.random(passages) < rng.choice([0, 0.4, 1])] = np.nan
    # What is the same for all passages of a message, read from their records.
    headers = np.zeros(len(sessions), HEADER)
    headers["words"] = rng.choice([0, 1, 40, 2**16 - 1], len(sessions))
    headers["asks"] = rng.choice([0, 1, 128], len(sessions))
    headers["between"] = headers["after"] = 255
    records = read_only(np.repeat(headers, counts), HEADER)
    return Turns(
        np.cumsum(counts) - counts,
        sessions,
        # Some are equal, others nearly all that tells passages apart.
        rng.choice([0.0, 0.25, *rng.random(3)], passages),
        rng.random(passages),
        np.array(bits, np.uint64),
        rng.integers(4, size=passages).astype(float),
        rng.integers(2, size=passages).astype(float),
        cosines,
        rng.uniform(0.2, 9, width) * (rng.random() < 0.9),
        random_bits(rng, width, 0.5),
        random_bits(rng, width, 0.5),
        records["words"],
        records["asks"],
    )


def random_bits(rng: np.random.Generator, width: int, often: float) -> int:
    return sum(1 << place for place in np.flatnonzero(rng.random(width) < often).tolist())


def assert_described(turns: Turns) -> None:
    found, best = turns.run()
    slowly = Slowly(turns)
    assert best.tolist() == slowly.best()
    for memory in range(len(turns.starts)):
        expected = slowly.describe(memory)
        assert sorted(found) == sorted(expected)
        for name, value in expected.items():
            said = found[name][memory]
            assert said == exactly(value, rel=1e-12, abs=1e-12, nan_ok=True), (name, memory)


@pytest.mark.parametrize("seed", SEEDS)
def test_memories_are_described_as_slowly(seed: int) -> None:
    turns = random_turns(np.random.default_rng(seed))
    assert not turns.lengths.flags.c_contiguous or len(turns.lengths) == 1
    assert_described(turns)


@pytest.mark.parametrize("seed", range(10))
def test_memories_are_described_from_arrays_that_must_not_change(seed: int) -> None:
    turns = random_turns(np.random.default_rng(seed))
    assert_described(
        Turns(
            *(
                read_only(v, v.dtype) if isinstance(v, np.ndarray) else v
                for v in vars(turns).values()
            )
        )
    )


def test_one_memory_of_one_passage_stands_alone() -> None:
    turns = one_turn(np.array([2.0]))
    found, best = turns.run()
    assert best.tolist() == [0]
    assert found["sb_p1"] == found["sb_n2"] == exactly(0.8 * 0.5)
    assert found["de_n1"] == exactly(1.6)
    assert found["cov3"] == exactly(2 * 0.8 * 3 / 4)
    assert found["m_unk"] == found["cov_rare"] == found["m_hit"] == 1
    assert_described(turns)


def one_turn(cosines: Floats) -> Turns:
    """Return a memory with as many passages as cosines; it holds the last of 64 words, which tells 3 of 4."""
    passages = len(cosines)
    weights = np.zeros(MOST_WORDS)
    weights[0], weights[-1] = 1, 3
    half = np.full(passages, 0.5)
    return Turns(
        np.zeros(1, np.int64),
        np.array([7]),
        half,
        half,
        np.full(passages, 1 << 63, np.uint64),
        half,
        half,
        cosines,
        weights,
        1 << 63 | 1,
        1 << 63,
        np.full(passages, 2, np.uint16),
        np.ones(passages, np.uint8),
    )


@pytest.mark.parametrize(
    ("cosines", "nearest", "best"),
    [
        ([math.nan] * 3, math.nan, 0),
        ([math.nan, -1.0, math.nan], -1.0, 0),
        ([-2.0, -1.0, math.nan], -1.0, 2),
        ([-3.0, -2.0, -2.5], -2.0, 1),
        ([-3.0, math.nan, 0.5], 0.5, 2),
        ([1.0, 1.0, 0.5], 1.0, 0),
    ],
)
def test_the_best_passage_may_have_no_vector(
    cosines: list[float], nearest: float, best: int
) -> None:
    turns = one_turn(np.array(cosines))
    found, chosen = turns.run()
    assert chosen.tolist() == [best]
    assert found["de"].tolist() == exactly([nearest], nan_ok=True)
    assert found["de_p1"].tolist() == exactly([0 if math.isnan(nearest) else 0.8 * nearest])


def test_no_memories_are_described_as_none() -> None:
    turns = random_turns(np.random.default_rng(1))
    nothing = Turns(*(v[:0] if isinstance(v, np.ndarray) else v for v in vars(turns).values()))
    found, best = nothing.run()
    assert all(len(values) == 0 for values in found.values())
    assert len(best) == 0


def test_memories_without_a_session_or_a_passage_are_an_error() -> None:
    turns = one_turn(np.array([1.0, 2.0]))
    for wrong in [{"sessions": np.array([1, 2])}, {"starts": np.array([2])}]:
        with pytest.raises(ValueError, match="each memory"):
            replace(turns, **wrong).run()
    with pytest.raises(OverflowError):
        replace(turns, unknown=1 << 64).run()

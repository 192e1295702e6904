"""`describe_turns`, compiled and in numpy, gives the same features as a slow reference in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

from everword.db.arrays import Array
from everword_search.kernels.arrays import Floats, Ints
from everword_search.kernels.compiled import DESCRIBED, MOST_WORDS, describe_turns
from support.read_only import read_only

NEIGHBOURS = {"p1": -1, "n1": 1, "p2": -2, "n2": 2}


@pytest.fixture(params=["compare", "compare_numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both versions; the compiled one is skipped if it was not built."""
    module = pytest.importorskip(f"everword_search.kernels.{request.param}")
    for name in ("describe_turns", "DESCRIBED"):
        monkeypatch.setitem(globals(), name, getattr(module, name))


@dataclass(frozen=True)
class Turns:
    """The arguments of `describe_turns`, in their order."""

    starts: Array
    sessions: Array
    bm25: Array
    coverage: Array
    present: Array
    close: Array
    mentions: Array
    cosines: Array
    weights: Array
    unknown: int
    rarest: int
    lengths: Array
    asks: Array
    alone_share: float = 0.8
    meaning_share: float = 0.02

    def run(self) -> tuple[dict[str, Floats], Ints]:
        found, best = describe_turns(*vars(self).values())
        return dict(zip(DESCRIBED, found, strict=True)), best

    def each(self, change: Callable[[Array], Array]) -> Turns:
        """Return a copy with `change` applied to every array."""
        changed = {k: change(v) for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        return replace(self, **changed)  # type: ignore[arg-type]

    @property
    def passages(self) -> list[range]:
        """Return the positions of each memory's passages."""
        return [range(*ends) for ends in pairwise([*self.starts.tolist(), len(self.bm25)])]

    def reference_best(self) -> list[int]:
        cosines = np.where(np.isnan(self.cosines), 0, self.cosines)
        values = (self.bm25 + self.meaning_share * cosines).tolist()
        return [max(each, key=values.__getitem__) for each in self.passages]

    def reference(self) -> dict[str, list[float]]:
        words, meaning = self._most(self.bm25), self._most(self.cosines)
        present, rarest = (
            [places_of(bits) for bits in self.present.tolist()],
            places_of(self.rarest),
        )
        held = [set().union(*(present[p] for p in each)) for each in self.passages]
        together = [held[n].union(*(held[m] for m in self._adjacent(n))) for n in range(len(held))]
        unknown = places_of(self.unknown)
        within = [self._share(each) for each in together]
        length = [math.log1p(each) for each in self.lengths[self.starts].tolist()]
        asks = [float(each > 0) for each in self.asks[self.starts].tolist()]
        return {
            "sb": words,
            "de": meaning,
            "cov": self._most(self.coverage),
            "bg": self._most(self.close),
            "m_mention": self._most(self.mentions),
            "covm": [self._share(each) for each in held],
            "covw": within,
            "cov3": np.add(self._around(within, -1), self._around(within, 1)).tolist(),
            "cov_rare": self._most([len(each & rarest) for each in present]),
            "m_hit": [len(each) for each in held],
            "m_unk": [len(unknown - each) for each in together],
            **{f"sb_{name}": self._around(words, far) for name, far in NEIGHBOURS.items()},
            **{f"de_{name}": self._around(meaning, far) for name, far in NEIGHBOURS.items()},
            "d_len": length,
            "d_q": asks,
            "d_prevlen": self._near(length, -1),
            "d_prevq": self._near(asks, -1),
            "d_pos": [self._is_near(n, -1) + self._is_near(n, -2) for n in range(len(held))],
            "d_last": [self._is_near(n, 1) + self._is_near(n, 2) for n in range(len(held))],
        }

    def _share(self, words: set[int]) -> float:
        return float(self.weights[sorted(words)].sum() / (self.weights.sum() or 1.0))

    def _most(self, values: Sequence[float] | Array) -> list[float]:
        known = [[values[p] for p in each if not np.isnan(values[p])] for each in self.passages]
        return [float(max(each, default=math.nan)) for each in known]

    def _is_near(self, memory: int, far: int) -> bool:
        return memory + far in np.flatnonzero(self.sessions == self.sessions[memory])

    def _adjacent(self, memory: int) -> list[int]:
        return [memory + far for far in (-1, 1) if self._is_near(memory, far)]

    def _near(self, values: Sequence[float], far: int) -> list[float]:
        near = [self._is_near(n, far) for n in range(len(values))]
        return [values[n + far] if is_near else 0.0 for n, is_near in enumerate(near)]

    def _around(self, values: Sequence[float], far: int) -> list[float]:
        known = [0.0 if math.isnan(value) else value for value in values]
        near = enumerate(self._near(known, far))
        return [value if self._adjacent(n) else self.alone_share * known[n] for n, value in near]


def places_of(mask: int) -> set[int]:
    return {place for place in range(MOST_WORDS) if mask >> place & 1}


HEADER = np.dtype([("asks", "u1"), ("between", "u1"), ("words", "u2"), ("after", "u4")])


def random_turns(rng: np.random.Generator) -> Turns:
    width = int(rng.choice([0, 1, 5, MOST_WORDS]))
    sizes = rng.choice([1, 1, 2, 3, 9], int(rng.integers(1, 8)))
    sessions = np.repeat(np.cumsum(rng.integers(1, 4, len(sizes))), sizes)
    counts = rng.choice([1, 1, 1, 2, 6], len(sessions))
    starts, passages = np.cumsum(counts) - counts, int(counts.sum())
    # Drawn from few values, so that some are equal.
    bm25, coverage, close, mentions = rng.choice([0.0, 0.25, *rng.random(3)], (4, passages))
    often = rng.choice([0.02, 0.2, 0.7], passages)
    present = np.array([random_bits(rng, width, each) for each in often], np.uint64)
    cosines = rng.normal(0, 1.5, passages)
    cosines[rng.random(passages) < rng.choice([0, 0.4, 1])] = np.nan
    weights = rng.uniform(0.2, 9, width) * (rng.random() < 0.9)
    words = weights, random_bits(rng, width, 0.5), random_bits(rng, width, 0.5)
    # Fields of the ranking records; all passages of a message have the same values.
    headers = np.full(len(sessions), -1, np.int64).view(HEADER)
    headers["words"] = rng.choice([0, 1, 40, 2**16 - 1], len(sessions))
    headers["asks"] = rng.choice([0, 1, 128], len(sessions))
    records = read_only(np.repeat(headers, counts), HEADER)
    said = records["words"], records["asks"]
    return Turns(starts, sessions, bm25, coverage, present, close, mentions, cosines, *words, *said)


def random_bits(rng: np.random.Generator, width: int, often: float) -> int:
    return sum(1 << place for place in np.flatnonzero(rng.random(width) < often).tolist())


def assert_described(turns: Turns) -> None:
    found, best = turns.run()
    expected = turns.reference()
    assert best.tolist() == turns.reference_best()
    assert sorted(found) == sorted(expected)
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, rel=1e-12, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("seed", range(80))
def test_describe_turns_equals_a_slow_reference(seed: int) -> None:
    turns = random_turns(np.random.default_rng(seed))
    assert turns.lengths.strides == (HEADER.itemsize,)
    assert_described(turns)
    assert_described(turns.each(lambda array: read_only(array, array.dtype)))


def test_describe_turns_of_a_single_memory_uses_itself_as_context() -> None:
    found, best = one_turn([2.0]).run()
    assert best.tolist() == [0]
    assert found["sb_p1"] == found["sb_n2"] == pytest.approx(0.8 * 0.5)
    assert found["de_n1"] == pytest.approx(1.6)
    assert found["cov3"] == pytest.approx(2 * 0.8 * 3 / 4)
    assert found["m_unk"] == found["cov_rare"] == found["m_hit"] == 1
    assert_described(one_turn([2.0]))


def one_turn(cosines: list[float]) -> Turns:
    """Return a memory with a passage for each cosine. It has the last of 64 words, with a weight of 3 out of 4."""
    last, passages = 1 << 63, len(cosines)
    turns = random_turns(np.random.default_rng(0)).each(lambda array: np.resize(array, passages))
    return replace(
        turns,
        starts=np.zeros(1, np.int64),
        sessions=np.array([7]),
        bm25=np.full(passages, 0.5),
        present=np.full(passages, last, np.uint64),
        cosines=np.array(cosines),
        weights=np.array([1.0, *[0.0] * 62, 3.0]),
        unknown=last | 1,
        rarest=last,
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
def test_describe_turns_chooses_best_passage_also_without_vector(
    cosines: list[float], nearest: float, best: int
) -> None:
    found, chosen = one_turn(cosines).run()
    assert chosen.tolist() == [best]
    assert found["de"].tolist() == pytest.approx([nearest], nan_ok=True)
    assert found["de_p1"].tolist() == pytest.approx([0 if math.isnan(nearest) else 0.8 * nearest])


def test_describe_turns_of_no_memories_returns_empty_arrays() -> None:
    found, best = random_turns(np.random.default_rng(1)).each(lambda array: array[:0]).run()
    assert [len(values) for values in found.values()] == [0] * len(DESCRIBED)
    assert len(best) == 0


def test_describe_turns_refuses_memories_without_session_or_passage() -> None:
    turns = one_turn([1.0, 2.0])
    for wrong in [{"sessions": np.array([1, 2])}, {"starts": np.array([2])}]:
        with pytest.raises(ValueError, match="each memory"):
            replace(turns, **wrong).run()  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        replace(turns, unknown=1 << 64).run()

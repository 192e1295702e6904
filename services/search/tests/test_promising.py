"""What several arms find is cut down to what they like best together."""

from __future__ import annotations

import random

import numpy as np
import pytest

from everword_search.model import Ranked
from everword_search.ranking.promising import most_promising

#: An arm's memories: what it says of each, and whether that is a summary.
Found = dict[bytes, tuple[float, bool]]


def ranked(found: Found) -> Ranked:
    said = [score for score, _ in found.values()]
    return Ranked(
        np.arange(len(found)),
        np.array(list(found), "S16"),
        np.array(said) * 10,
        np.array(said, float),
        np.array([is_summary for _, is_summary in found.values()], bool),
    )


def kept(arms: list[Found], most: int) -> list[list[bytes]]:
    found = most_promising([ranked(arm) for arm in arms], most)
    return [each.source_ids.tolist() for each in found]


def test_what_two_arms_like_stays_before_what_one_likes_more() -> None:
    words: Found = {b"both": (0.5, False), b"words": (0.7, False)}
    meaning: Found = {b"meaning": (0.6, False), b"both": (0.4, False)}
    assert kept([words, meaning], 2) == [[b"both", b"words"], [b"both"]]
    assert kept([words, meaning], 1) == [[b"both"], [b"both"]]


def test_what_equals_the_last_stays() -> None:
    arm: Found = {b"a": (0.9, False), b"b": (0.5, False), b"c": (0.5, False), b"d": (0.1, False)}
    assert kept([arm], 2) == [[b"a", b"b", b"c"]]


def test_summaries_push_nothing_aside() -> None:
    arm: Found = {
        **{f"s{n}".encode(): (0.9, True) for n in range(20)},
        **{f"m{n}".encode(): (0.5 - n / 100, False) for n in range(5)},
        b"weak": (0.2, True),
    }
    assert len(kept([arm], 3)[0]) == 20 + 3


def test_arms_that_find_nothing_lose_nothing() -> None:
    assert kept([{}, {}], 3) == [[], []]
    assert kept([{}, {b"a": (0.1, False)}], 3) == [[], [b"a"]]


@pytest.mark.parametrize("seed", range(20))
def test_the_best_sums_stay(seed: int) -> None:
    rng = random.Random(seed)
    of = {f"m{n}".encode(): rng.random() < 0.3 for n in range(60)}
    arms: list[Found] = [
        {
            id_: (rng.randint(0, 20) / 20, of[id_])
            for id_ in rng.sample(list(of), rng.randint(0, 60))
        }
        for _ in range(rng.randint(1, 3))
    ]
    most = rng.randint(1, 40)
    sums = {id_: sum(arm[id_][0] for arm in arms if id_ in arm) for id_ in set().union(*arms)}
    others = sorted((value for id_, value in sums.items() if not of[id_]), reverse=True)
    least = others[most - 1] if len(others) > most else -1.0
    expected = [[id_ for id_ in arm if sums[id_] >= least] for arm in arms]
    assert kept(arms, most) == expected
    for before, after in zip(
        map(ranked, arms), most_promising([*map(ranked, arms)], most), strict=True
    ):
        rows = np.isin(before.source_ids, after.source_ids)
        assert after.raws.tolist() == before.raws[rows].tolist()
        assert after.summaries.tolist() == before.summaries[rows].tolist()

"""The best memories of a namespace in memory, each by its best passage: what the arms' statements end with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from everword.v1.memory_pb2 import MEMORY_KIND_SUMMARY
from everword_search.arms.base import Window
from everword_search.model import Ranked
from everword_search.ranking.arrays import Floats, Ints
from everword_search.resident.index import Snapshot

#: Of how many passages the best memories are looked for first, as a multiple of those wanted: few have several.
_SPARE = 2


def best_memories(
    snapshot: Snapshot, rows: Ints, raws: Floats, scores: Floats, window: Window
) -> Ranked:
    """Return the memories in `window`, best first. `rows` are the passages that match, the others have one for each."""
    wanted = window.limit + window.spare
    take = _before(snapshot, rows, scores, window) + _SPARE * wanted
    while True:
        order = _best(scores, snapshot.columns["ids"][rows], take)
        firsts = _firsts(snapshot.places_of(rows[order]))
        chosen = order[firsts]
        chosen = chosen[_inside(snapshot, rows[chosen], scores[chosen], window)]
        is_all = take >= len(rows) or scores[order[-1]] < window.min_score
        if len(chosen) >= wanted or is_all:
            break
        take *= 4
    chosen = chosen[:wanted]
    # Summaries push none of the others aside.
    others = snapshot.columns["kinds"][rows[chosen]] != MEMORY_KIND_SUMMARY
    chosen = chosen[np.cumsum(others) <= window.limit]
    found = rows[chosen]
    columns = snapshot.columns
    return Ranked(columns["ids"][found], columns["source_ids"][found], raws[chosen], scores[chosen])


def _best(scores: Floats, ids: Ints, take: int) -> Ints:
    """Return the places of the best scores, and of all that equal the last of them, best first."""
    if len(scores) > take:
        least = np.partition(scores, len(scores) - take)[len(scores) - take]
        among = np.flatnonzero(scores >= least)
    else:
        among = np.arange(len(scores))
    return among[np.lexsort((-ids[among], -scores[among]))]


def _firsts(values: Ints) -> Ints:
    """Return the places at which a value stands for the first time, ascending."""
    _, firsts = np.unique(values, return_index=True)
    return np.sort(firsts)


def _before(snapshot: Snapshot, rows: Ints, scores: Floats, window: Window) -> int:
    """Return how many passages are not after the page before: the best of a memory may be one of them."""
    if not window.after:
        return 0
    score, passage_id, *_ = window.after
    here: list[float] = scores[snapshot.columns["ids"][rows] == passage_id].tolist()
    return int(np.count_nonzero(scores >= min([score, *here])))


def _inside(
    snapshot: Snapshot, rows: Ints, scores: Floats, window: Window
) -> npt.NDArray[np.bool_]:
    """Return which passages come after the page before, and score enough."""
    inside = scores >= window.min_score
    if window.after:
        score, passage_id, *_ = window.after
        ids = snapshot.columns["ids"][rows]
        # Vectors may have become compact since the page before, and cosines less exact.
        here: list[float] = scores[ids == passage_id].tolist()
        [score, *_] = [*here, score]
        inside &= (scores < score) | ((scores == score) & (ids < passage_id))
    return inside

"""The best memories of a cached namespace, each by its best passage.

It does the work of the final parts of the arms' statements.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from everword.domain.memory_kinds import SUMMARIZING_KINDS
from everword_search.cache.columns.row import places_of, some_of
from everword_search.cache.snapshot import Snapshot
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.ranked_memories import RankedMemories, Window

#: One extra passage is examined per this many memories of a window, because few memories have several passages.
_SPARE = 2


def best_memories(
    snapshot: Snapshot, rows: Ints, raws: Floats, scores: Floats, window: Window
) -> RankedMemories:
    """Return the memories in `window`, best first.

    `rows` are the matching passages; `raws` and `scores` have an element for each.
    """
    here = _cutoff_score(snapshot, rows, scores, window)
    # As many passages precede the page, and each may be the best one of a memory on it.
    before = int(np.count_nonzero(scores >= here)) if window.after else 0
    take = before + window.limit + window.limit // _SPARE
    while True:
        order = _best(snapshot, rows, scores, take)
        read = snapshot.read(rows[order])
        is_selected = _firsts(places_of(read)) & (scores[order] >= window.min_score)
        if window.after:
            is_selected &= _follows(read["ids"], scores[order], window.after[1], here)
        chosen, read = order[is_selected], some_of(read, is_selected)
        others = ~np.isin(read["kinds"], SUMMARIZING_KINDS)
        is_within = np.cumsum(others) <= window.limit
        is_within[window.limit + window.spare :] = False
        is_enough = len(chosen) >= window.limit + window.spare or not is_within.all()
        if is_enough or take >= len(rows) or scores[order[-1]] < window.min_score:
            break
        take *= 4
    chosen, read = chosen[is_within], some_of(read, is_within)
    return RankedMemories(
        read["ids"].copy(), read["source_ids"].copy(), raws[chosen], scores[chosen]
    )


def _best(snapshot: Snapshot, rows: Ints, scores: Floats, take: int) -> Ints:
    """Return the indices of the best scores, best first; among equal scores, the largest id first."""
    among = np.arange(len(scores))
    if len(scores) > take:
        least = np.partition(scores, len(scores) - take)[len(scores) - take]
        among = np.flatnonzero(scores >= least)
    came = rows[among] if snapshot.is_ordered else snapshot.ids_of(rows[among])
    return among[np.lexsort((-came, -scores[among]))[:take]]


def _firsts(values: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask of the first occurrence of each value."""
    is_first = np.zeros(len(values), bool)
    is_first[np.unique(values, return_index=True)[1]] = True
    return is_first


def _cutoff_score(snapshot: Snapshot, rows: Ints, scores: Floats, window: Window) -> float:
    """Return the score after which the page begins.

    It is the current score of the last passage of the previous page, since its last digits may have changed, or else
    the score in the page token.
    """
    if not window.after:
        return math.inf
    score, passage_id, *_ = window.after
    here: list[float] = scores[np.isin(rows, snapshot.rows_of(np.array([passage_id])))].tolist()
    return here[0] if here else score


def _follows(ids: Ints, scores: Floats, after_id: int, after: float) -> npt.NDArray[np.bool_]:
    """Return which passages come after the passage `after_id` with score `after`."""
    return np.asarray((scores < after) | ((scores == after) & (ids < after_id)))

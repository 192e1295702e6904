"""Clusters of vectors by k-means on the unit sphere: the same vectors in one order give the same clusters. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Fewer vectors have no themes.
LEAST = 6
_SEED = 20_260_418
_ROUNDS = 30


@dataclass(frozen=True)
class Cluster:
    """Vectors that are near each other."""

    #: Their places among all, those first that are nearest to the middle.
    members: list[int]


def count_clusters(number: int) -> int:
    """Return the number of clusters for a number of vectors, after Riverse: √(n/2), from 3 to 20."""
    return max(3, min(20, int(math.sqrt(number / 2))))


def find_clusters(vectors: Floats) -> list[Cluster]:
    """Return the clusters of vectors, a row each, the largest first; none of fewer than six vectors."""
    if len(vectors) < LEAST:
        return []
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1.0)
    middles = _begin(units, count_clusters(len(units)))
    owners = np.zeros(len(units), dtype=np.int64)
    for round_ in range(_ROUNDS):
        nearest = np.argmax(units @ middles.T, axis=1)
        if round_ and np.array_equal(nearest, owners):
            break
        owners = nearest
        middles = _middles(units, owners, middles)
    similarity = np.sum(units * middles[owners], axis=1)
    found = []
    for own in range(len(middles)):
        places = np.flatnonzero(owners == own)
        if len(places):
            order = np.argsort(-similarity[places], kind="stable")
            found.append(Cluster([int(place) for place in places[order]]))
    return sorted(found, key=lambda each: (-len(each.members), each.members[0]))


def _begin(units: Floats, number: int) -> Floats:
    """Return vectors to begin with that are far from each other, as k-means++ draws them."""
    rng = np.random.default_rng(_SEED)
    chosen = [int(rng.integers(len(units)))]
    distances = np.clip(1 - units @ units[chosen[0]], 0.0, None)
    while len(chosen) < number:
        total = float(distances.sum())
        if total <= 1e-9:
            # All remaining vectors equal chosen ones.
            break
        drawn = int(np.searchsorted(np.cumsum(distances), rng.random() * total))
        chosen.append(min(drawn, len(units) - 1))
        distances = np.minimum(distances, np.clip(1 - units @ units[chosen[-1]], 0.0, None))
    return units[chosen]


def _middles(units: Floats, owners: npt.NDArray[np.int64], before: Floats) -> Floats:
    """Return the centre of each cluster; an empty cluster keeps its previous one."""
    sums = np.zeros_like(before)
    np.add.at(sums, owners, units)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 1e-12, sums / np.where(lengths > 0, lengths, 1.0), before)

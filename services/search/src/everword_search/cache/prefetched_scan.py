"""The passages near a query in memory, looked for while the database is asked whether the copy is complete."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.columns.vectors import Vectors
from everword_search.cache.filters import let_through
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.vectors import QueryVector
from everword_search.records.model import MemoryFilter

#: Passages of a large namespace whose cosines are computed: those whose signs agree with the largest part of the query.
#: Of 100,000 vectors, sums of random directions, they have .995 of the true first ten and .91 of the first hundred.
NEAREST = 1_000


@dataclass(frozen=True, eq=False)
class PrefetchedScan:
    """The rows that may be the nearest to a vector, and their cosines, as a copy was before the database answered."""

    rows: Ints
    cosines: Floats
    #: Whose rows, how many there were, and what they were compared with.
    vectors: Vectors
    size: int
    asked: npt.NDArray[np.float32]

    def now(
        self, cached: CachedIndex, vectors: Vectors, asked: npt.NDArray[np.float32]
    ) -> tuple[Ints, Floats] | None:
        """Return them with those of what came since, and without what went; None where something else is asked for."""
        if vectors is not self.vectors or asked is not self.asked:
            return None
        stays = cached.wanted[self.rows]
        rows, near = self.rows[stays], self.cosines[stays]
        since = self.size + np.flatnonzero(cached.wanted[self.size :])
        if not len(since):
            return rows, near
        return np.append(rows, since), np.append(near, vectors.cosines(asked, since))


def prefetch_scan(
    copy: CachedNamespace, vector: QueryVector, wanted: MemoryFilter
) -> PrefetchedScan | None:
    """Return what is near a vector; None where the copy lacks vectors, or has those of another generation."""
    vectors, asked = copy.index.vectors, vector.values
    if vectors is None or vectors.generation_id != vector.generation_id or len(copy.pending()):
        return None
    snapshot = copy.index.snapshot()
    rows = vectors.nearest(asked, let_through(snapshot, wanted, time.time()), NEAREST)
    cosines = vectors.cosines(asked, rows)
    return PrefetchedScan(rows, cosines, vectors, snapshot.size, asked)

"""Vector scan of a cached namespace, started while the database verifies that the copy is complete."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.columns.vectors import Vectors
from everword_search.cache.filters import allowed_rows
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.vectors import QueryVector
from everword_search.records.model import MemoryFilter

#: Passages of a large namespace whose cosines are computed, chosen by the agreement of signs. For 100,000 sums of
#: random directions, they include .995 of the true first ten and .91 of the first hundred.
NEAREST = 1_000


@dataclass(frozen=True, eq=False)
class PrefetchedScan:
    """Candidates for the nearest rows with their cosines, from a copy before the database answered."""

    rows: Ints
    cosines: Floats
    #: The vectors compared, the number of rows then, and the query vector.
    vectors: Vectors
    size: int
    asked: npt.NDArray[np.float32]

    def now(
        self, cached: CachedIndex, vectors: Vectors, asked: npt.NDArray[np.float32]
    ) -> tuple[Ints, Floats] | None:
        """Return the rows and cosines for the search's own snapshot: new rows are added, excluded ones removed.

        None if the search uses other vectors or another query vector.
        """
        if vectors is not self.vectors or asked is not self.asked:
            return None
        stays = cached.wanted[self.rows]
        rows, near = self.rows[stays], self.cosines[stays]
        since = self.size + np.flatnonzero(cached.wanted[self.size :])
        if not len(since):
            return rows, near
        return np.append(rows, since), np.append(near, vectors.cosines(asked, since))


def prefetch_scan(
    copy: CachedNamespace, vector: QueryVector, memory_filter: MemoryFilter
) -> PrefetchedScan | None:
    """Return the scan for a query vector; None if vectors are pending or belong to another model generation."""
    vectors, asked = copy.index.vectors, vector.values
    if vectors is None or vectors.generation_id != vector.generation_id or len(copy.pending()):
        return None
    snapshot = copy.index.snapshot()
    rows = vectors.nearest(asked, allowed_rows(snapshot, memory_filter, time.time()), NEAREST)
    cosines = vectors.cosines(asked, rows)
    return PrefetchedScan(rows, cosines, vectors, snapshot.size, asked)

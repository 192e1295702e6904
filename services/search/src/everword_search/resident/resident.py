"""A namespace in memory, as one search sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from everword.db.arrays import Array
from everword_search.resident.copy import NamespaceCopy
from everword_search.resident.index import Snapshot
from everword_search.resident.vectors import Vectors


@dataclass(frozen=True, eq=False)
class Resident:
    """A namespace in memory, as one search sees it."""

    copy: NamespaceCopy
    snapshot: Snapshot
    #: None where there is no model, or too many passages have no vector.
    vectors: Vectors | None
    include_automated: bool

    @cached_property
    def passages(self) -> int:
        """How many there are."""
        return int(np.count_nonzero(self.snapshot.columns["alive"]))

    @cached_property
    def mean_length(self) -> float:
        """BM25's mean document length."""
        alive = self.snapshot.columns["alive"]
        return float(self.snapshot.columns["lengths"] @ alive) / max(1, self.passages)

    @cached_property
    def wanted(self) -> Array:
        """Which rows the search's filter lets through."""
        alive = self.snapshot.columns["alive"]
        return alive if self.include_automated else alive & ~self.snapshot.columns["automated"]

"""A namespace in memory, as one search sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from everword.db.arrays import Array
from everword_search.resident.index import Snapshot
from everword_search.resident.store import Corpus


@dataclass(frozen=True, eq=False)
class Resident:
    """A namespace in memory, as one search sees it."""

    snapshot: Snapshot
    corpus: Corpus
    include_automated: bool

    @cached_property
    def wanted(self) -> Array:
        """Which rows the search's filter lets through."""
        alive = self.snapshot.columns["alive"]
        return alive if self.include_automated else alive & ~self.snapshot.columns["automated"]

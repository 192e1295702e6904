"""A namespace in memory, as one search sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from everword.db.arrays import Array
from everword_search.model import MemoryFilter
from everword_search.resident.copy import NamespaceCopy
from everword_search.resident.filters import let_through
from everword_search.resident.index import Snapshot
from everword_search.resident.vectors import Vectors


@dataclass(frozen=True, eq=False)
class Resident:
    """A namespace in memory, as one search sees it."""

    copy: NamespaceCopy
    snapshot: Snapshot
    #: None where there is no model, or too many passages have no vector.
    vectors: Vectors | None
    filter: MemoryFilter

    @cached_property
    def wanted(self) -> Array:
        """Which rows the search's filter lets through."""
        return let_through(self.snapshot, self.filter)

"""A namespace in memory, as one search sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from everword.db.arrays import Array
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.columns.vectors import Vectors
from everword_search.cache.filters import let_through
from everword_search.cache.snapshot import Snapshot
from everword_search.records.model import MemoryFilter


@dataclass(frozen=True, eq=False)
class CachedIndex:
    """A namespace in memory, as one search sees it."""

    copy: CachedNamespace
    snapshot: Snapshot
    #: None where there is no model, or too many passages have no vector.
    vectors: Vectors | None
    filter: MemoryFilter
    #: When the search's transaction began, in seconds since 1970.
    now: float

    @cached_property
    def wanted(self) -> Array:
        """The rows that the search's filter lets through."""
        return let_through(self.snapshot, self.filter, self.now)

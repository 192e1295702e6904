"""A cached namespace as one search sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from everword.db.arrays import Array
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.columns.vectors import Vectors
from everword_search.cache.filters import allowed_rows
from everword_search.cache.snapshot import Snapshot
from everword_search.records.model import MemoryFilter


@dataclass(frozen=True, eq=False)
class CachedIndex:
    """A cached namespace as one search sees it."""

    copy: CachedNamespace
    snapshot: Snapshot
    #: None without a model, or if too many passages still wait for a vector.
    vectors: Vectors | None
    filter: MemoryFilter
    #: Start of the search's transaction, in seconds since 1970.
    now: float

    @cached_property
    def wanted(self) -> Array:
        """Mask of the rows that pass the search's filter."""
        return allowed_rows(self.snapshot, self.filter, self.now)

"""Which files stay mapped after a search: to map them again takes time."""

from __future__ import annotations

from collections import OrderedDict

from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.storage import Mappable


class LatelySearched:
    """The copies in files that were searched last, as many as may be mapped at the same time."""

    def __init__(self, mappable: Mappable) -> None:
        self._mappable = mappable
        #: The one that was searched last comes last.
        self._mapped: OrderedDict[CachedNamespace, int] = OrderedDict()

    def searched(self, copy: CachedNamespace) -> None:
        """A search ended. One of a copy that takes more than all may leaves none: the next one needs the room."""
        mapped_bytes = copy.index.mapped_bytes
        if not mapped_bytes:
            return
        self._mapped[copy] = mapped_bytes
        self._mapped.move_to_end(copy)
        while self._mapped and sum(self._mapped.values()) > self._mappable.nbytes:
            self.rest(next(iter(self._mapped)))

    def rest(self, copy: CachedNamespace) -> None:
        """Take a copy out of this process' memory, if it is there."""
        if self._mapped.pop(copy, None) is not None:
            copy.index.rest()

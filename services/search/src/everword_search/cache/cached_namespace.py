"""A copy of one namespace, and whether it is complete.

Passages never change: they come, and some are taken out again. Ids grow, but of two writes at the same time the one
with the smaller ids may end later. So a copy asks for what is beyond its settled ids, but for the recent ones that it
has; and it is complete exactly if nothing was taken out since, and it has as many passages as there are.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from everword.db.pool import Connection
from everword.db.statements import BoundStatement
from everword_search.arms.semantic import EXACT_PASSAGES
from everword_search.cache.index import NamespaceIndex
from everword_search.cache.storage import IN_MEMORY_PASSAGES, Storage
from everword_search.cache.store import Passages, PassagesRow, passages_after, read_vectors
from everword_search.cache.vectors import SignedVectors, Vectors
from everword_search.ranking.arrays import Ints
from everword_search.vectors import GenerationRow

#: Seconds within which every write ends: passages with smaller ids than one that is so old come no more.
SETTLED_S = 120.0
#: Ids that are left out of a question by name.
_RECENT = 1_000
#: Share of the passages in memory that are still there, below which it is made anew.
_LEAST_PRESENT = 0.8
#: Passages that are added within a search. Of more, the search asks the database, and they are added beside it.
AT_ONCE = 500
#: Passages without a vector that are asked for within a search.
OWED_AT_ONCE = 1_000
#: Seconds until all that are owed a vector are looked for again, beside the searches.
LOOK_AGAIN_S = 60.0
#: Of those that get none, as many in that time.
LOOKED_AT_A_TIME = 50_000


@dataclass(frozen=True)
class Asked:
    """What was asked of the database for a copy, how many passages it had then, and how many were ever taken out."""

    copy: CachedNamespace
    question: BoundStatement[PassagesRow]
    present: int
    #: None for a copy that is new.
    dropped: int | None


class CachedNamespace:
    """A namespace's passages in memory, with the vectors of one generation."""

    def __init__(
        self,
        namespace_id: int,
        generation: GenerationRow | None,
        storage: Storage,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.namespace_id = namespace_id
        self.generation_id = generation.id if generation else None
        self.index = NamespaceIndex(_vectors(generation, storage), storage)
        self._clock = clock
        self._dropped: int | None = None
        self._settled = 0
        self._recent: deque[tuple[float, Ints]] = deque()
        #: When all that are owed a vector were last looked for beside the searches, and all that have none.
        self._owed_looked_at = self._lacking_looked_at = -math.inf

    @property
    def present(self) -> int:
        return self.index.present

    @property
    def is_outgrown(self) -> bool:
        """Whether it should be made anew: too large for memory or without signs, or with much that is gone."""
        vectors, size = self.index.vectors, self.index.size
        signed = isinstance(vectors, SignedVectors)
        too_large = vectors is not None and not signed and size > 2 * EXACT_PASSAGES
        in_memory = self.index.in_memory and size > 2 * IN_MEMORY_PASSAGES
        return too_large or in_memory or self.present < _LEAST_PRESENT * size

    @property
    def lacks_vectors(self) -> bool:
        """Whether more vectors are to come than a search should ask for."""
        return len(self.owed()) > OWED_AT_ONCE

    @property
    def is_due(self) -> bool:
        """Whether it is time to look for vectors again beside the searches."""
        return self._lacking_are_due or (self._owed_are_due and self.lacks_vectors)

    def look(self) -> Ints:
        """Return the rows to look for: those that are owed a vector and, now and then, those that get none, too.

        What was given up may be owed again.
        """
        everything = self._lacking_are_due
        self._owed_looked_at = self._clock()
        if not everything:
            return self.owed()
        self._lacking_looked_at = self._clock()
        return self.lacking()

    @property
    def _owed_are_due(self) -> bool:
        return self._owed_looked_at < self._clock() - LOOK_AGAIN_S

    @property
    def _lacking_are_due(self) -> bool:
        lacking = self.index.vectors.lacking_count if self.index.vectors else 0
        pause_s = LOOK_AGAIN_S * max(1.0, lacking / LOOKED_AT_A_TIME)
        return lacking > 0 and self._lacking_looked_at < self._clock() - pause_s

    def ask(self, limit: int) -> Asked:
        """Return what asks for passages that are not here yet."""
        self._settle()
        recent = [ids for _, ids in self._recent]
        but = np.concatenate(recent) if recent else np.zeros(0, np.int64)
        question = passages_after(self.namespace_id, self._settled, but, limit)
        return Asked(self, question, self.present, self._dropped)

    def is_complete(self, asked: Asked, row: PassagesRow, found: Passages) -> bool:
        """Tell whether the copy and what was found are all that there is."""
        self._dropped = row.dropped if self._dropped is None else self._dropped
        return (
            row.dropped == self._dropped
            and asked.dropped in (None, row.dropped)
            and asked.present + len(found.ids) == row.passages
            and not found.lacks_records
        )

    def add(self, found: Passages, *, at_leisure: bool = False) -> bool:
        """Add passages; return False where some of them, but not all, came meanwhile.

        `at_leisure` nobody waits, in this thread.
        """
        known = self.index.count_known(found.ids)
        if known:
            return known == len(found.ids)
        self.index.add(found, at_leisure=at_leisure)
        if len(found.ids):
            self._recent.append((self._clock(), found.ids))
        return True

    def settle(self) -> None:
        """Take all that is here for settled: what comes late is missed by its number, and looked for then."""
        self._recent.clear()
        self._settled = int(self.index.ids.max(initial=0))

    def keep(self, ids: Ints, dropped: int) -> Ints:
        """Keep only the passages with these ids, which ascend; so many were taken out. Return what is missing."""
        known = self.index.ids
        places = np.minimum(np.searchsorted(ids, known), max(0, len(ids) - 1))
        self.index.keep(ids[places] == known if len(ids) else np.zeros(len(known), bool))
        self._dropped = dropped
        if self.present == len(ids):
            return ids[:0]
        # Each is there once: to find that out takes seconds of a million.
        return np.setdiff1d(ids, known, assume_unique=True)

    def ask_for(self, missing: Ints, limit: int) -> BoundStatement[PassagesRow]:
        """Return what asks for passages that came late, at most `limit` of them."""
        after = int(missing[0]) - 1
        return passages_after(
            self.namespace_id, after, self.index.ids[self.index.ids > after], limit
        )

    async def add_vectors(self, conn: Connection, rows: Ints) -> None:
        """Read the vectors of some rows, as far as there are any, and which of the others are to come."""
        vectors = self.index.vectors
        if vectors is None or not len(rows):
            return
        ids = self.index.ids[rows]
        found = await read_vectors(conn, self.namespace_id, vectors.generation_id, np.sort(ids))
        order = np.argsort(ids)
        vectors.store(rows[order[np.searchsorted(ids, found.ids, sorter=order)]], found.vectors)
        vectors.say_owed(rows, np.isin(ids, found.owed_ids))

    def owed(self) -> Ints:
        """Return the rows that a vector is to come for."""
        return self._alive(self.index.vectors.owed) if self.index.vectors else np.zeros(0, np.int64)

    def lacking(self) -> Ints:
        """Return the rows without a vector, also those that get none, as what holds no word."""
        vectors = self.index.vectors
        return self._alive(vectors.lacking) if vectors else np.zeros(0, np.int64)

    def _alive(self, rows: Ints) -> Ints:
        return np.asarray(rows[self.index.alive[rows]])

    def _settle(self) -> None:
        """Take for settled what is old, and what is more than can be left out by name."""
        since = self._clock() - SETTLED_S
        count = sum(len(ids) for _, ids in self._recent)
        while self._recent and (self._recent[0][0] < since or count > _RECENT):
            _, ids = self._recent.popleft()
            count -= len(ids)
            self._settled = max(self._settled, int(ids.max()))


def _vectors(generation: GenerationRow | None, storage: Storage) -> Vectors | None:
    if generation is None or generation.id is None or generation.dimensions is None:
        return None
    if generation.storage != "halfvec":
        return None
    kept = Vectors if storage.passages <= EXACT_PASSAGES else SignedVectors
    return kept(generation.id, generation.dimensions, storage)

"""A namespace in memory: what it lacks, and what changed since, is asked for by each search of it."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from everword.db.pool import Connection
from everword.db.statements import BoundStatement
from everword_search.cache.columns.vectors import SignedVectors, Vectors
from everword_search.cache.index import NamespaceIndex
from everword_search.cache.store import (
    Changes,
    Passages,
    PassagesRow,
    passages_after,
    read_everything,
    read_vectors,
)
from everword_search.kernels.arrays import Ints
from everword_search.passages.vectors import EXACT_PASSAGES, GenerationRow

#: Seconds within which every write ends: passages with smaller ids than one that is so old come no more.
COMPLETE_AFTER_S = 120.0
#: Seconds for which changes can be asked for: they are written down for a day.
CHANGES_KEPT_S = 20 * 3600.0
#: Ids that are left out of a question by name.
_RECENT = 1_000
#: Passages that were taken out, with which a copy is made again: more than so many, and than this share of all.
MOST_REMOVED = 1_000
_REMOVED_SHARE = 0.2
#: Passages that are added within a search. Of more, the search asks the database, and they are added beside it.
AT_ONCE = 500
#: Passages without a vector that are asked for within a search.
PENDING_AT_ONCE = 1_000
#: Seconds until all that wait for a vector are looked for again, beside the searches.
LOOK_AGAIN_S = 60.0
#: Of those that get none, as many in that time.
LOOKED_AT_A_TIME = 50_000


@dataclass(frozen=True, eq=False)
class CopyRequest:
    """The question to the database for a copy, and the state of the copy then."""

    copy: CachedNamespace
    question: BoundStatement[PassagesRow]
    #: Rows, those of them that were there still, and those that were taken out.
    size: int
    present: int
    removed: Ints
    #: How often limits had been given to rows.
    limitings: int


class CachedNamespace:
    """A namespace's passages in memory, with the vectors of one generation."""

    def __init__(
        self,
        namespace_id: int,
        generation: GenerationRow | None,
        passages: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """There are about so many `passages` to come."""
        self.namespace_id = namespace_id
        self.generation_id = generation.id if generation else None
        self.index = NamespaceIndex(_vectors(generation, passages), passages)
        self._clock = clock
        self._complete_through = 0
        self._recent: deque[tuple[float, Ints]] = deque()
        #: All that this transaction saw is here; None for a copy that is new.
        self._snapshot: str | None = None
        self._read_at = clock()
        #: Ids that were taken out lately: a search that began before may still bring them.
        self._removed: dict[int, float] = {}
        self._limitings = 0
        #: When all that wait for a vector were last looked for beside the searches, and all that have none.
        self._pending_looked_at = self._lacking_looked_at = -math.inf

    @property
    def present(self) -> int:
        return self.index.present

    @property
    def is_outgrown(self) -> bool:
        """Whether it should be made again: without signs though it is large, or with much that is gone."""
        vectors, size = self.index.vectors, self.index.size
        signed = isinstance(vectors, SignedVectors)
        too_large = vectors is not None and not signed and size > 2 * EXACT_PASSAGES
        return too_large or size - self.present > max(MOST_REMOVED, _REMOVED_SHARE * size)

    @property
    def is_behind(self) -> bool:
        """Whether changes may have been forgotten since it was last brought up to date."""
        return self._clock() > self._read_at + CHANGES_KEPT_S

    @property
    def lacks_vectors(self) -> bool:
        """Whether more vectors are to come than a search should ask for."""
        return len(self.pending()) > PENDING_AT_ONCE

    @property
    def is_due(self) -> bool:
        """Whether it is time to look for vectors again beside the searches."""
        return self._lacking_are_due or (self._pending_are_due and self.lacks_vectors)

    def look(self) -> Ints:
        """Return the rows to look for: those that wait for a vector and, now and then, those that get none, too.

        What was given up may be pending again.
        """
        everything = self._lacking_are_due
        self._pending_looked_at = self._clock()
        if not everything:
            return self.pending()
        self._lacking_looked_at = self._clock()
        return self.lacking()

    @property
    def _pending_are_due(self) -> bool:
        return self._pending_looked_at < self._clock() - LOOK_AGAIN_S

    @property
    def _lacking_are_due(self) -> bool:
        lacking = self.index.vectors.lacking_count if self.index.vectors else 0
        pause_s = LOOK_AGAIN_S * max(1.0, lacking / LOOKED_AT_A_TIME)
        return lacking > 0 and self._lacking_looked_at < self._clock() - pause_s

    def ask(self, limit: int) -> CopyRequest:
        """Return what asks for passages that are not here yet, and for what changed."""
        self._advance()
        recent = [ids for _, ids in self._recent]
        but = np.concatenate(recent) if recent else np.zeros(0, np.int64)
        question = passages_after(
            self.namespace_id, self._complete_through, but, limit, self._snapshot
        )
        index = self.index
        return CopyRequest(
            self, question, index.size, index.present, index.removed, self._limitings
        )

    def is_complete(
        self, asked: CopyRequest, row: PassagesRow, found: Passages, changes: Changes
    ) -> bool:
        """Tell whether the copy and what was found are all that there is."""
        rows = self.index.rows_of(changes.removed_ids)
        gone = np.setdiff1d(rows[rows < asked.size], asked.removed)
        return (
            asked.present - len(gone) + len(found.ids) == row.passages and not found.lacks_records
        )

    def conflicts(self, asked: CopyRequest, found: Passages, changes: Changes) -> bool:
        """Tell whether another search, which may have seen more or less, brought some of the same meanwhile."""
        known = len(self.index.rows_of(found.ids))
        closed = len(np.setdiff1d(changes.limited_ids, found.ids)) > 0
        return 0 < known < len(found.ids) or (closed and self._limitings != asked.limitings)

    def add(
        self, row: PassagesRow, found: Passages, changes: Changes, *, unhurried: bool = False
    ) -> None:
        """Add what came, unless it is here already, and do what was done to passages.

        `unhurried`, nobody waits in this thread.
        """
        index, now = self.index, self._clock()
        if len(found.ids) and not len(index.rows_of(found.ids)):
            index.add(found, unhurried=unhurried)
            self._recent.append((now, found.ids))
        late = [id_ for id_ in found.ids.tolist() if id_ in self._removed]
        self._removed.update(dict.fromkeys(changes.removed_ids.tolist(), now))
        index.remove(index.rows_of(np.append(changes.removed_ids, np.array(late, np.int64))))
        if len(changes.limited_ids):
            index.limit(changes.limited_ids, changes.limits)
            self._limitings += 1
        self._snapshot, self._read_at = row.snapshot, now

    def mark_complete(self) -> None:
        """Take all that is here for complete: what comes late is missed by its number, and looked for then."""
        self._recent.clear()
        self._complete_through = int(self.index.ids.max(initial=0))

    async def compare(self, conn: Connection) -> Ints:
        """Keep only the passages that the database has, with their limits there; return what is missing."""
        ids, row = await read_everything(conn, self.namespace_id)
        index = self.index
        index.remove(np.flatnonzero(~np.isin(index.ids, ids)))
        limits = row.limits()
        index.forget_limits()
        index.limit(limits.limited_ids, limits.limits)
        self._limitings += 1
        self._snapshot, self._read_at = row.snapshot, self._clock()
        return np.setdiff1d(ids, index.ids, assume_unique=True)

    def ask_for(self, missing: Ints, limit: int) -> BoundStatement[PassagesRow]:
        """Return what asks for passages that came late, at most `limit` of them."""
        after = int(missing[0]) - 1
        known = self.index.ids[self.index.ids > after]
        return passages_after(self.namespace_id, after, known, limit)

    async def add_vectors(self, conn: Connection, rows: Ints) -> None:
        """Read the vectors of some rows, as far as there are any, and which of the others are to come."""
        vectors = self.index.vectors
        if vectors is None or not len(rows):
            return
        ids = self.index.ids[rows]
        found = await read_vectors(conn, self.namespace_id, vectors.generation_id, np.sort(ids))
        order = np.argsort(ids)
        vectors.store(rows[order[np.searchsorted(ids, found.ids, sorter=order)]], found.vectors)
        vectors.set_pending(rows, np.isin(ids, found.pending_ids))

    def pending(self) -> Ints:
        """Return the rows that a vector is to come for."""
        return (
            self._alive(self.index.vectors.pending) if self.index.vectors else np.zeros(0, np.int64)
        )

    def lacking(self) -> Ints:
        """Return the rows without a vector, also those that get none, as what holds no word."""
        vectors = self.index.vectors
        return self._alive(vectors.lacking) if vectors else np.zeros(0, np.int64)

    def _alive(self, rows: Ints) -> Ints:
        return np.asarray(rows[self.index.alive[rows]])

    def _advance(self) -> None:
        """Take for complete what is old, and what is more than can be left out by name."""
        since = self._clock() - COMPLETE_AFTER_S
        count = sum(len(ids) for _, ids in self._recent)
        while self._recent and (self._recent[0][0] < since or count > _RECENT):
            _, ids = self._recent.popleft()
            count -= len(ids)
            self._complete_through = max(self._complete_through, int(ids.max()))
        for id_ in [id_ for id_, at in self._removed.items() if at < since]:
            del self._removed[id_]


def _vectors(generation: GenerationRow | None, passages: int) -> Vectors | None:
    if generation is None or generation.id is None or generation.dimensions is None:
        return None
    if generation.storage != "halfvec":
        return None
    kept = Vectors if passages <= EXACT_PASSAGES else SignedVectors
    return kept(generation.id, generation.dimensions, passages)

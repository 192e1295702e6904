"""A copy of one namespace in memory; each search requests the passages and changes that it lacks."""

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

#: Seconds after which every write has ended, so no passage with an id smaller than one this old can still appear.
COMPLETE_AFTER_S = 120.0
#: Seconds for which changes can be requested; the database keeps their log for a day.
CHANGE_RETENTION_S = 20 * 3600.0
#: Maximum number of recent ids that a request excludes one by one.
_RECENT = 1_000
#: A copy is rebuilt once it has more removed passages than this number and than this share of its rows.
MOST_REMOVED = 1_000
_REMOVED_SHARE = 0.2
#: Maximum passages that a search adds to the copy. If more are missing, the search uses the database, and they are
#: added in the background.
AT_ONCE = 500
#: Maximum pending passages for which a search looks up vectors itself.
PENDING_AT_ONCE = 1_000
#: Seconds between background checks for pending vectors.
RECHECK_INTERVAL_S = 60.0
#: Rate of the repeated checks of all passages without a vector: this many per `RECHECK_INTERVAL_S`.
CHECK_BATCH_ROWS = 50_000


@dataclass(frozen=True, eq=False)
class CopyRequest:
    """A request to the database for missing passages, with the state of the copy at that moment."""

    copy: CachedNamespace
    question: BoundStatement[PassagesRow]
    #: Number of rows, number of rows not removed, and the removed rows.
    size: int
    present: int
    removed: Ints
    #: How often limits of validity had been set.
    limitings: int


class CachedNamespace:
    """A namespace's passages in memory, with the vectors of one model generation."""

    def __init__(
        self,
        namespace_id: int,
        generation: GenerationRow | None,
        passages: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`passages` is the expected number of passages, for allocation."""
        self.namespace_id = namespace_id
        self.generation_id = generation.id if generation else None
        self.index = NamespaceIndex(_vectors(generation, passages), passages)
        self._clock = clock
        self._complete_through = 0
        self._recent: deque[tuple[float, Ints]] = deque()
        #: The copy has all changes up to this number. None for a new copy.
        self._last_change: int | None = None
        self._read_at = clock()
        #: Recently removed ids with the time of removal; a search that began earlier may still return them.
        self._removed: dict[int, float] = {}
        self._limitings = 0
        #: Time of the last background check of pending vectors, and of all missing vectors.
        self._pending_vectors_checked_at = self._missing_vectors_checked_at = -math.inf

    @property
    def present(self) -> int:
        return self.index.present

    @property
    def is_outgrown(self) -> bool:
        """True if the copy should be rebuilt.

        Either it became large without having signs, or many of its passages were removed.
        """
        vectors, size = self.index.vectors, self.index.size
        signed = isinstance(vectors, SignedVectors)
        too_large = vectors is not None and not signed and size > 2 * EXACT_PASSAGES
        return too_large or size - self.present > max(MOST_REMOVED, _REMOVED_SHARE * size)

    @property
    def is_behind(self) -> bool:
        """True if the change log since the last update may have been deleted."""
        return self._clock() > self._read_at + CHANGE_RETENTION_S

    @property
    def lacks_vectors(self) -> bool:
        """True if more vectors are pending than a search should read."""
        return len(self.pending()) > PENDING_AT_ONCE

    @property
    def is_due(self) -> bool:
        """True if it is time for a background check for vectors."""
        return self._is_missing_vectors_check_due or (
            self._is_pending_vectors_check_due and self.lacks_vectors
        )

    def look(self) -> Ints:
        """Return the rows to check for vectors: the pending rows, and less often all rows without a vector.

        A parked passage expects no vector, but may have been enqueued again.
        """
        everything = self._is_missing_vectors_check_due
        self._pending_vectors_checked_at = self._clock()
        if not everything:
            return self.pending()
        self._missing_vectors_checked_at = self._clock()
        return self.lacking()

    @property
    def _is_pending_vectors_check_due(self) -> bool:
        return self._pending_vectors_checked_at < self._clock() - RECHECK_INTERVAL_S

    @property
    def _is_missing_vectors_check_due(self) -> bool:
        missing = self.index.vectors.missing_count if self.index.vectors else 0
        pause_s = RECHECK_INTERVAL_S * max(1.0, missing / CHECK_BATCH_ROWS)
        return missing > 0 and self._missing_vectors_checked_at < self._clock() - pause_s

    def ask(self, limit: int) -> CopyRequest:
        """Return a request for the passages that are missing, `limit` at most, and for the changes."""
        self._advance()
        recent = [ids for _, ids in self._recent]
        but = np.concatenate(recent) if recent else np.zeros(0, np.int64)
        question = passages_after(
            self.namespace_id, self._complete_through, but, limit, self._last_change
        )
        index = self.index
        return CopyRequest(
            self, question, index.size, index.present, index.removed, self._limitings
        )

    def is_complete(
        self, copy_request: CopyRequest, row: PassagesRow, found: Passages, changes: Changes
    ) -> bool:
        """Return whether the copy together with the passages found is complete."""
        rows = self.index.rows_of(changes.removed_ids)
        gone = np.setdiff1d(rows[rows < copy_request.size], copy_request.removed)
        return (
            copy_request.present - len(gone) + len(found.ids) == row.passages
            and not found.lacks_records
        )

    def conflicts(self, copy_request: CopyRequest, found: Passages, changes: Changes) -> bool:
        """Return whether another search added some of the same passages or changed limits meanwhile.

        It may have read a newer or an older state, so the results cannot be combined.
        """
        known = len(self.index.rows_of(found.ids))
        limited = self.index.newly_limited(changes.limited_ids, changes.limits)
        closed = len(np.setdiff1d(changes.limited_ids[limited], found.ids)) > 0
        return 0 < known < len(found.ids) or (closed and self._limitings != copy_request.limitings)

    def add(
        self, row: PassagesRow, found: Passages, changes: Changes, *, unhurried: bool = False
    ) -> None:
        """Add passages unless they are present, and apply changes.

        `unhurried` permits slower merges: no request waits for this thread.
        """
        index, now = self.index, self._clock()
        if len(found.ids) and not len(index.rows_of(found.ids)):
            index.add(found, unhurried=unhurried)
            self._recent.append((now, found.ids))
        late = [id_ for id_ in found.ids.tolist() if id_ in self._removed]
        self._removed.update(dict.fromkeys(changes.removed_ids.tolist(), now))
        index.remove(index.rows_of(np.append(changes.removed_ids, np.array(late, np.int64))))
        # Changes without a number are read more than once.
        if index.newly_limited(changes.limited_ids, changes.limits).any():
            index.limit(changes.limited_ids, changes.limits)
            self._limitings += 1
        self._advance_to(row.last_change)
        self._read_at = now

    def mark_complete(self) -> None:
        """Treat the copy as complete up to its largest id.

        A passage that appears later with a smaller id makes the count wrong, and is then found by `compare`.
        """
        self._recent.clear()
        self._complete_through = int(self.index.ids.max(initial=0))

    async def compare(self, conn: Connection) -> Ints:
        """Remove passages that the database no longer has, and refresh all limits; return missing ids."""
        ids, row = await read_everything(conn, self.namespace_id)
        index = self.index
        index.remove(np.flatnonzero(~np.isin(index.ids, ids)))
        limits = row.limits()
        index.forget_limits()
        index.limit(limits.limited_ids, limits.limits)
        self._limitings += 1
        self._advance_to(row.last_change)
        self._read_at = self._clock()
        return np.setdiff1d(ids, index.ids, assume_unique=True)

    def ask_for(self, missing: Ints, limit: int) -> BoundStatement[PassagesRow]:
        """Return a request for passages that appeared late, at most `limit`."""
        after = int(missing[0]) - 1
        known = self.index.ids[self.index.ids > after]
        return passages_after(self.namespace_id, after, known, limit, self._last_change)

    async def add_vectors(self, conn: Connection, rows: Ints) -> None:
        """Read the available vectors of rows, and mark which of the other rows are pending."""
        vectors = self.index.vectors
        if vectors is None or not len(rows):
            return
        ids = self.index.ids[rows]
        found = await read_vectors(conn, self.namespace_id, vectors.generation_id, np.sort(ids))
        order = np.argsort(ids)
        vectors.store(rows[order[np.searchsorted(ids, found.ids, sorter=order)]], found.vectors)
        vectors.set_pending(rows, np.isin(ids, found.pending_ids))

    def pending(self) -> Ints:
        """Return the rows that wait for a vector."""
        return (
            self._alive(self.index.vectors.pending) if self.index.vectors else np.zeros(0, np.int64)
        )

    def lacking(self) -> Ints:
        """Return the rows without a vector, including those that never get one, such as texts without words."""
        vectors = self.index.vectors
        return self._alive(vectors.lacking) if vectors else np.zeros(0, np.int64)

    def _alive(self, rows: Ints) -> Ints:
        return np.asarray(rows[self.index.alive[rows]])

    def _advance_to(self, last_change: int) -> None:
        """Set the number of the last change that the copy has. Numbers never decrease, but old changes are deleted."""
        self._last_change = max(last_change, self._last_change or 0)

    def _advance(self) -> None:
        """Treat old ids as complete, and the oldest recent ones if there are more than `_RECENT`."""
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
    retained = Vectors if passages <= EXACT_PASSAGES else SignedVectors
    return retained(generation.id, generation.dimensions, passages)

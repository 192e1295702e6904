"""The lexical and the semantic arm over a namespace in memory: they find what the statements would find."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np

from everword.db.arrays import Array
from everword.db.pool import Connection
from everword_search.arms.base import Window
from everword_search.arms.lexical import K1, B, Term, inverse_document_frequency
from everword_search.arms.semantic import SemanticArm
from everword_search.arms.tsvector import Statistics, TsvectorArm
from everword_search.model import Ranked
from everword_search.ranking.arrays import Floats, Ints
from everword_search.resident.best import best_memories
from everword_search.resident.foreseen import NEAREST, Foreseen
from everword_search.resident.index import Snapshot
from everword_search.resident.resident import Resident
from everword_search.resident.vectors import Vectors
from everword_search.store import Scope

#: Postings that are scored before other calls get their turn: about a millisecond.
SCORED_AT_ONCE = 30_000


class ResidentLexicalArm(TsvectorArm):
    """BM25 over postings in memory: of every match of every word."""

    in_memory = True

    def __init__(self, resident: Resident, scope: Scope, terms: Sequence[Term]) -> None:
        super().__init__(scope, terms)
        self._resident = resident
        self._matching: tuple[Ints, Floats, Floats] | None = None

    async def look_ahead(self) -> None:
        """Score what matches: that takes no connection."""
        self._matching = self._matching or await self._score_all()

    async def rank(self, conn: Connection, window: Window) -> Ranked:
        self._matching = self._matching or await self._score_all()
        return best_memories(self._resident.snapshot, *self._matching, window)

    async def _score_all(self) -> tuple[Ints, Floats, Floats]:
        """Return the rows that match, and their BM25, as it is and as a share of what can be reached."""
        snapshot = self._resident.snapshot
        postings = await _postings(snapshot, self._terms)
        frequencies = [len(rows) for rows, _ in postings]
        idf = [inverse_document_frequency(snapshot.present, df) for df in frequencies]
        mean_length = snapshot.mean_length
        self._statistics = Statistics(mean_length, frequencies, idf)
        raws = np.zeros(snapshot.size)
        lengths = snapshot.columns["lengths"]
        for weight, (rows, occurrences) in zip(idf, postings, strict=True):
            norm = K1 * (1 - B + B * lengths[rows] / mean_length)
            if len(rows) > SCORED_AT_ONCE:
                # Many words that all passages hold must not keep other calls waiting.
                await asyncio.sleep(0)
            raws[rows] += weight * occurrences * (K1 + 1) / (occurrences + norm)
        matching = np.flatnonzero((raws > 0) & self._resident.wanted)
        found = raws[matching]
        scores = np.round(found / (sum(idf) * (K1 + 1)) * 1e9) / 1e9
        return matching, found, scores


class ResidentSemanticArm(SemanticArm):
    """Cosines with vectors in memory, once those that came lately are there too."""

    in_memory = True
    planned_once = True

    def __init__(
        self, resident: Resident, vectors: Vectors, foreseen: Foreseen | None, *arguments: Any
    ) -> None:
        """`arguments` are those of SemanticArm."""
        super().__init__(*arguments)
        self._resident = resident
        self._vectors = vectors
        self._foreseen = foreseen

    @property
    def asks_nothing(self) -> bool:
        return not len(self._resident.copy.owed())

    async def rank(self, conn: Connection, window: Window) -> Ranked:
        snapshot = self._resident.snapshot
        rows, cosines = await self._nearest(conn)
        near = cosines > self.floor
        rows, cosines = rows[near], cosines[near]
        scores = np.round((cosines - self.floor) / (1 - self.floor) * 1e9) / 1e9
        return best_memories(snapshot, rows, cosines, scores, window)

    async def _nearest(self, conn: Connection) -> tuple[Ints, Floats]:
        """Return the rows that may be the nearest, and their cosines."""
        copy, asked = self._resident.copy, self._asked().vector.values
        await copy.add_vectors(conn, copy.owed())
        if self._foreseen and (found := self._foreseen.now(self._resident, self._vectors, asked)):
            return found
        rows = self._vectors.nearest(asked, self._resident.wanted, NEAREST)
        return rows, self._vectors.cosines(asked, rows)

    async def cosines(self, conn: Connection, passage_ids: Ints) -> Floats:
        snapshot = self._resident.snapshot
        rows = snapshot.rows_of(passage_ids)
        if len(rows) == len(passage_ids) and snapshot.is_ordered:
            return self._vectors.cosines(self._asked().vector.values, rows)
        order = np.argsort(passage_ids)
        places = np.searchsorted(passage_ids, snapshot.columns["ids"][rows], sorter=order)
        cosines = np.full(len(passage_ids), np.nan)
        cosines[order[places]] = self._vectors.cosines(self._asked().vector.values, rows)
        return cosines


async def _postings(snapshot: Snapshot, terms: Sequence[Term]) -> list[tuple[Ints, Floats]]:
    """Return, for each term, the rows that hold it, and how often each does."""
    words = np.array([term.hash for term in terms], np.int64)
    alive = snapshot.columns["alive"]
    none_gone = snapshot.present == snapshot.size
    found: list[list[tuple[Ints, Array]]] = [[] for _ in terms]
    for segment in snapshot.segments:
        for term, slot in enumerate(segment.postings.slots(words).tolist()):
            if slot >= 0:
                rows, occurrences = segment.postings.of(slot)
                found[term].append((segment.start + rows.astype(np.int64), occurrences))
    joined = []
    for parts in found:
        joined.append(_joined(parts, None if none_gone else alive))
        if len(joined[-1][0]) > SCORED_AT_ONCE:
            await asyncio.sleep(0)
    return joined


def _joined(parts: Sequence[tuple[Ints, Array]], alive: Array | None) -> tuple[Ints, Floats]:
    """Return the rows of all segments, without those that are gone, and how often each holds the word."""
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0)
    rows = np.concatenate([rows for rows, _ in parts])
    occurrences = np.concatenate([occurrences for _, occurrences in parts]).astype(float)
    if alive is None:
        return rows, occurrences
    return rows[alive[rows]], occurrences[alive[rows]]

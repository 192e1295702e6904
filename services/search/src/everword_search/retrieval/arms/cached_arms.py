"""The lexical and the semantic arm on a cached namespace; the results equal those of the SQL statements."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np

from everword.db.arrays import Array
from everword.db.pool import Connection
from everword_search.cache.best_rows import best_memories
from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.columns.growing_column import find
from everword_search.cache.columns.vectors import Vectors
from everword_search.cache.prefetched_scan import NEAREST, PrefetchedScan
from everword_search.cache.snapshot import Snapshot
from everword_search.kernels.arrays import Floats, Ints
from everword_search.kernels.compiled import add_scores
from everword_search.passages.ranked_memories import RankedMemories, Window
from everword_search.passages.store import Scope
from everword_search.ranking.bm25 import K1, B, inverse_document_frequency
from everword_search.retrieval.arms.lexical import Term
from everword_search.retrieval.arms.semantic import SemanticArm
from everword_search.retrieval.arms.tsvector import Statistics, TsvectorArm

#: Postings scored before yielding to other calls; they take about a millisecond.
SCORED_AT_ONCE = 200_000


class CachedLexicalArm(TsvectorArm):
    """BM25 on cached postings, over all matches of all words."""

    needs_no_statement = True

    def __init__(self, cached: CachedIndex, scope: Scope, terms: Sequence[Term]) -> None:
        super().__init__(scope, terms)
        self._cached = cached
        self._matching: tuple[Ints, Floats, Floats] | None = None

    async def prepare_search(self) -> None:
        self._matching = self._matching or await self._score_all()

    async def rank(self, conn: Connection, window: Window) -> RankedMemories:
        self._matching = self._matching or await self._score_all()
        return best_memories(self._cached.snapshot, *self._matching, window)

    async def _score_all(self) -> tuple[Ints, Floats, Floats]:
        """Return the matching rows, their BM25, and the BM25 as a share of its maximum."""
        snapshot = self._cached.snapshot
        postings = _Postings(snapshot, self._terms)
        frequencies = postings.frequencies()
        idf = [inverse_document_frequency(snapshot.present, df) for df in frequencies]
        self._statistics = Statistics(snapshot.mean_length, frequencies, idf)
        matching, raws = await postings.score(idf, self._cached.wanted)
        scores = np.round(raws / (sum(idf) * (K1 + 1)) * 1e9) / 1e9
        return matching, raws, scores


class CachedSemanticArm(SemanticArm):
    """Cosines with cached vectors, after late vectors have been added."""

    generic_plans = True

    def __init__(
        self,
        cached: CachedIndex,
        vectors: Vectors,
        prefetched: PrefetchedScan | None,
        *arguments: Any,
    ) -> None:
        """`arguments` are those of SemanticArm."""
        super().__init__(*arguments)
        self._cached = cached
        self._vectors = vectors
        self._prefetched = prefetched

    @property
    def needs_no_statement(self) -> bool:
        return not len(self._cached.copy.pending())

    async def rank(self, conn: Connection, window: Window) -> RankedMemories:
        snapshot = self._cached.snapshot
        rows, cosines = await self._nearest(conn)
        near = cosines > self.floor
        rows, cosines = rows[near], cosines[near]
        scores = np.round((cosines - self.floor) / (1 - self.floor) * 1e9) / 1e9
        return best_memories(snapshot, rows, cosines, scores, window)

    async def _nearest(self, conn: Connection) -> tuple[Ints, Floats]:
        """Return candidates for the nearest rows, with their cosines."""
        copy, asked = self._cached.copy, self._vector_query().vector.values
        await copy.add_vectors(conn, copy.pending())
        if self._prefetched and (found := self._prefetched.now(self._cached, self._vectors, asked)):
            return found
        rows = self._vectors.nearest(asked, self._cached.wanted, NEAREST)
        return rows, self._vectors.cosines(asked, rows)

    async def cosines(self, conn: Connection, passage_ids: Ints) -> Floats:
        snapshot = self._cached.snapshot
        rows = snapshot.order.find(passage_ids)
        cosines = np.full(len(passage_ids), np.nan)
        here = rows >= 0
        cosines[here] = self._vectors.cosines(self._vector_query().vector.values, rows[here])
        return cosines


class _Postings:
    """The postings of a query's words, processed segment by segment.

    Frequent words have many postings, so scoring yields to other calls in between.
    """

    def __init__(self, snapshot: Snapshot, terms: Sequence[Term]) -> None:
        words = np.array([term.hash for term in terms], np.int64)
        self._snapshot = snapshot
        self._spans = [segment.postings.spans(words) for segment in snapshot.segments]
        self._terms = len(terms)
        self._looked_at = 0

    def frequencies(self) -> list[int]:
        """Return the number of passages that contain each word, without removed passages."""
        found = [spans[:, 1] - spans[:, 0] for spans in self._spans]
        if not found:
            return [0] * self._terms
        frequencies = np.sum(found, axis=0)
        for segment, spans in zip(self._snapshot.segments, self._spans, strict=True):
            removed = self._snapshot.removed_within(segment)
            for term, span in enumerate(spans.tolist() if len(removed) else ()):
                rows, _ = segment.postings.between(*span)
                frequencies[term] -= np.count_nonzero(find(rows, removed) >= 0)
        return list(map(int, frequencies))

    async def score(self, weights: Sequence[float], wanted: Array) -> tuple[Ints, Floats]:
        """Return the matching rows of the mask `wanted`, with their BM25."""
        matching, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
        snapshot = self._snapshot
        for segment, spans in zip(snapshot.segments, self._spans, strict=True):
            lengths = snapshot.columns["lengths"][segment.start : segment.stop]
            raws = np.zeros(len(lengths))
            for (begin, end), weight in zip(spans.tolist(), weights, strict=True):
                if begin < end:
                    held = segment.postings.between(begin, end)
                    add_scores(*held, lengths, weight, K1, B, snapshot.mean_length, raws)
                    await self._yield_to_other_work(end - begin)
            rows = np.flatnonzero((raws > 0) & wanted[segment.start : segment.stop])
            matching.append(segment.start + rows)
            scores.append(raws[rows])
        return np.concatenate(matching), np.concatenate(scores)

    async def _yield_to_other_work(self, examined: int) -> None:
        self._looked_at += examined
        if self._looked_at > SCORED_AT_ONCE:
            self._looked_at = 0
            await asyncio.sleep(0)

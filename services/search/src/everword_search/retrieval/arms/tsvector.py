"""The lexical arm on the GIN index over tsvectors: exact over all matches, without an index of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from everword.db.arrays import uuids_of
from everword.db.pool import Connection
from everword.text.lexemes import quote_lexeme
from everword_search.passages import store
from everword_search.passages.ranked_memories import Candidate, RankedMemories, TermScore, Window
from everword_search.passages.store import FrequencyRow, LexicalRow, Scope
from everword_search.ranking.bm25 import K1, B, inverse_document_frequency, term_score
from everword_search.retrieval.arms.base import scored_position
from everword_search.retrieval.arms.frequent_words import FrequentWords
from everword_search.retrieval.arms.lexical import LexicalArm, Term, prefix_query


@dataclass(frozen=True)
class Statistics:
    """The corpus statistics that the scores of a search use."""

    mean_length: float
    document_frequencies: list[int]
    idf: list[float]


class TsvectorArm(LexicalArm):
    """BM25 computed by PostgreSQL at search time."""

    def __init__(
        self,
        scope: Scope,
        terms: Sequence[Term],
        explain: bool = False,
        frequent: FrequentWords | None = None,
    ) -> None:
        """`frequent` is given for large namespaces only."""
        self._scope = scope
        self._terms = terms
        self._explain = explain
        self._frequent = frequent
        self._statistics: Statistics | None = None

    @property
    def idle_reason(self) -> str:
        return "" if self._terms else "the query has no word that is indexed"

    @property
    def generic_plans(self) -> bool:
        return True

    async def rank(self, conn: Connection, window: Window) -> RankedMemories:
        """Return the candidates in `window`.

        For a rough window, the search uses rare words only, if these yield enough candidates.
        """
        if window.rough and self._frequent and not self._explain:
            rare = self._frequent.without(self._scope.namespace_id, self._terms)
            if 0 < len(rare) < len(self._terms):
                found = await self._rank(conn, window, rare)
                if len(found.passage_ids) >= window.limit:
                    return found
        return await self._rank(conn, window, self._terms)

    async def _rank(
        self, conn: Connection, window: Window, terms: Sequence[Term]
    ) -> RankedMemories:
        parameters = {
            **_columns(terms),
            **scored_position(window),
            "k1": K1,
            "b": B,
        }
        row = await store.find_lexical(conn, self._scope, parameters)
        if row is None:
            return store.NOTHING
        self._statistics = _statistics(row)
        if self._frequent:
            namespace_id, frequencies = self._scope.namespace_id, row.document_frequencies
            self._frequent.learn(namespace_id, terms, frequencies, row.passages)
        found = row.ranked()
        if not self._explain:
            return found
        explained = await self.score(conn, uuids_of(found.source_ids))
        return replace(found, terms={each.source_id: each.terms for each in explained})

    async def score(self, conn: Connection, source_ids: Sequence[UUID]) -> list[Candidate]:
        if self._statistics is None or not source_ids:
            return []
        rows = await store.term_frequencies(conn, self._scope, source_ids, _columns(self._terms))
        best: dict[UUID, Candidate] = {}
        for row in rows:
            candidate = self._scored(row, self._statistics)
            known = best.get(row.source_id)
            if candidate.raw > 0 and (known is None or known.position < candidate.position):
                best[row.source_id] = candidate
        return list(best.values())

    def _scored(self, row: FrequencyRow, statistics: Statistics) -> Candidate:
        parts = [
            term_score(idf, frequency, row.length, statistics.mean_length)
            for idf, frequency in zip(statistics.idf, row.frequencies, strict=True)
        ]
        raw = sum(parts)
        score = round(raw / (sum(statistics.idf) * (K1 + 1)) * 1e9) / 1e9
        terms = self._explanation(row, statistics, parts) if self._explain else ()
        return Candidate(row.source_id, row.passage_id, raw, score, [score, row.passage_id], terms)

    def _explanation(
        self, row: FrequencyRow, statistics: Statistics, parts: Sequence[float]
    ) -> tuple[TermScore, ...]:
        return tuple(
            TermScore(term.word, idf, df, frequency, score)
            for term, idf, df, frequency, score in zip(
                self._terms,
                statistics.idf,
                statistics.document_frequencies,
                row.frequencies,
                parts,
                strict=True,
            )
            if frequency
        )


def _statistics(row: LexicalRow) -> Statistics:
    frequencies = row.document_frequencies
    idf = [inverse_document_frequency(row.passages, df) for df in frequencies]
    return Statistics(row.mean_length, frequencies, idf)


def _columns(terms: Sequence[Term]) -> dict[str, Any]:
    """Return the terms as the array parameters of the statements."""
    return {
        "queries": [
            quote_lexeme(term.lexeme)
            if term.prefix is None
            else prefix_query(term.prefix, term.lexeme)
            for term in terms
        ],
        "prefixes": [term.prefix for term in terms],
        "stems": [term.lexeme for term in terms],
    }

"""The passages of a cached namespace, with the database for data that the cache does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.columns.row import some_of
from everword_search.cache.prefetched_scan import PrefetchedScan
from everword_search.kernels.arrays import Floats, Ints, Mask
from everword_search.passages.candidates import Candidates
from everword_search.passages.ranked_memories import RankedMemories
from everword_search.passages.store import Scope
from everword_search.passages.vectors import GenerationRow, QueryNotEmbedded, QueryVector
from everword_search.retrieval.arms.cached_arms import CachedLexicalArm, CachedSemanticArm
from everword_search.retrieval.arms.lexical import LexicalArm, Term
from everword_search.retrieval.arms.semantic import SemanticArm
from everword_search.retrieval.arms.trigram import TokenSimilarityArm, TrigramArm
from everword_search.retrieval.index.database_index import DatabaseIndex
from everword_search.retrieval.runner import Runner


@dataclass(frozen=True)
class CachedPassageIndex:
    """The passages of a cached namespace; see PassageIndex."""

    cached: CachedIndex
    database: DatabaseIndex
    #: Scan for the query's vector that ran while the database was queried; None if there was none.
    prefetched: PrefetchedScan | None
    #: Hash of each word of the query that is a single lexeme, by the word in lower case.
    words: Mapping[str, int]

    @property
    def scope(self) -> Scope:
        return self.database.scope

    def within(self, start: float, end: float) -> CachedPassageIndex:
        database = self.database.within(start, end)
        cached = replace(self.cached, filter=database.scope.filter)
        return replace(self, cached=cached, database=database, prefetched=None)

    def lexical(self, terms: Sequence[Term], explain: bool) -> LexicalArm:
        return CachedLexicalArm(self.cached, self.scope, terms)

    def literal(self, tokens: Sequence[str]) -> TrigramArm:
        return self.database.literal(tokens)

    def alike(self, tokens: Sequence[str]) -> TokenSimilarityArm:
        return self.database.alike(tokens)

    def semantic(
        self, vector: QueryVector | QueryNotEmbedded | None, generation: GenerationRow | None
    ) -> SemanticArm:
        known = self.cached.vectors
        if known is None or generation is None or known.generation_id != generation.id:
            return self.database.semantic(vector, generation)
        passages, large_scopes = self.database.passages, self.database.large_scopes
        arguments = (self.scope, vector, generation, passages, large_scopes)
        return CachedSemanticArm(self.cached, known, self.prefetched, *arguments)

    async def candidates(
        self, runner: Runner, found: Sequence[RankedMemories], reach: int, max_parts: int
    ) -> Candidates | None:
        passage_ids = np.unique(np.concatenate([each.passage_ids for each in found]))
        return find_candidates(self.cached, passage_ids, reach, max_parts)

    def outside_conversations(self, passages: Candidates) -> Mask:
        assert passages.rows is not None
        return self.cached.snapshot.are_outside_conversations(passages.rows)

    async def mentions(self, runner: Runner, passages: Candidates, words: Sequence[str]) -> Floats:
        snapshot, rows = self.cached.snapshot, passages.rows
        assert rows is not None
        if self.words.keys() >= set(words):
            hashes = [self.words[word] for word in words]
            return np.asarray(snapshot.conversations_with(hashes, rows), float)
        return await self.database.mentions_in(runner, snapshot.conversation_ids(rows), words)


def find_candidates(
    cached: CachedIndex, passage_ids: Ints, reach: int, max_parts: int
) -> Candidates | None:
    """Return the passages of the found memories and of neighbouring turns; None if there are none.

    `passage_ids` are the found passages, ascending.
    """
    snapshot = cached.snapshot
    found = snapshot.rows_of(passage_ids)
    if not len(found):
        return None  # The passages were stored after the snapshot, and found by an arm that uses the database.
    rows = snapshot.neighbouring_rows(found, reach)
    read = snapshot.read(rows)
    is_found_at = np.zeros(snapshot.size, bool)
    is_found_at[found] = True
    is_found = is_found_at[rows]
    is_read = snapshot.columns["alive"][rows] & ((read["parts"] < max_parts) | is_found)
    order = np.lexsort((read["parts"], read["seqs"], read["threads"]))
    order = order[is_read[order]]
    if not len(order):
        return None
    rows, read = rows[order], some_of(read, order)
    return Candidates(
        read["ids"].copy(),
        read["source_ids"].copy(),
        read["threads"].copy(),
        None,
        read["seqs"].copy(),
        read["authors"].copy(),
        snapshot.author_names,
        read["roles"].copy(),
        read["moments"].copy(),
        snapshot.records(read),
        read["stands_for"].astype(np.int64),
        read["repeats"].copy(),
        is_found[order],
        cached.wanted[rows],
        rows,
    )

"""The passages of a namespace in memory, and of the database what is not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.candidates import find_candidates
from everword_search.cache.scans.prefetched_scan import PrefetchedScan
from everword_search.ranking.arrays import Floats
from everword_search.ranking.store import Candidates
from everword_search.retrieval.arms.cached import CachedLexicalArm, CachedSemanticArm
from everword_search.retrieval.arms.lexical import LexicalArm, Term
from everword_search.retrieval.arms.semantic import SemanticArm
from everword_search.retrieval.arms.trigram import AlikeArm, TrigramArm
from everword_search.retrieval.index.database_index import DatabaseIndex
from everword_search.retrieval.index.store import Scope
from everword_search.retrieval.index.vectors import GenerationRow
from everword_search.retrieval.model import Ranked
from everword_search.retrieval.query.query_embedder import QueryNotEmbedded, QueryVector
from everword_search.retrieval.runner import Runner


@dataclass(frozen=True)
class CachedPassageIndex:
    """The passages of a namespace in memory; see PassageIndex."""

    cached: CachedIndex
    database: DatabaseIndex
    #: What is near the query's vector, where that was looked for while the database was asked.
    prefetched: PrefetchedScan | None
    #: What stands for words of the query in memory, by the word in lower case: for those of one lexeme.
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

    def alike(self, tokens: Sequence[str]) -> AlikeArm:
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
        self, runner: Runner, found: Sequence[Ranked], reach: int, max_parts: int
    ) -> Candidates | None:
        passage_ids = np.unique(np.concatenate([each.passage_ids for each in found]))
        return find_candidates(self.cached, passage_ids, reach, max_parts)

    async def mentions(self, runner: Runner, passages: Candidates, words: Sequence[str]) -> Floats:
        snapshot, rows = self.cached.snapshot, passages.rows
        assert rows is not None
        if self.words.keys() >= set(words):
            hashes = [self.words[word] for word in words]
            return np.asarray(snapshot.conversations_with(hashes, rows), float)
        return await self.database.mentions_in(runner, snapshot.conversation_ids(rows), words)

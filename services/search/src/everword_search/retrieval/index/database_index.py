"""The passages of a namespace in the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from everword.db.arrays import Array, ArrayParameter, uuids_of
from everword.db.pool import STATEMENT_CAP_S
from everword.domain.deadline import remaining
from everword_search.kernels.arrays import Floats, Mask
from everword_search.passages.candidates import Candidates, find_mentions, read_candidates
from everword_search.passages.ranked_memories import RankedMemories
from everword_search.passages.store import Scope
from everword_search.passages.vectors import GenerationRow, QueryNotEmbedded, QueryVector
from everword_search.retrieval.arms.frequent_words import FrequentWords
from everword_search.retrieval.arms.large_scopes import LargeScopes
from everword_search.retrieval.arms.lexical import Term
from everword_search.retrieval.arms.semantic import SemanticArm
from everword_search.retrieval.arms.trigram import TokenSimilarityArm, TrigramArm
from everword_search.retrieval.arms.tsvector import TsvectorArm
from everword_search.retrieval.runner import TIME_SHARE, Runner

#: Passages of a namespace above which knowing its frequent words saves time.
LARGE = 10_000


@dataclass(frozen=True)
class DatabaseIndex:
    """The passages of a namespace in the database; see PassageIndex."""

    scope: Scope
    #: The namespace's number of passages.
    passages: int
    text_search_config: str
    frequent: FrequentWords
    large_scopes: LargeScopes

    def within(self, start: float, end: float) -> DatabaseIndex:
        narrow = self.scope.filter.within(start, end)
        return replace(self, scope=replace(self.scope, filter=narrow))

    def lexical(self, terms: Sequence[Term], explain: bool) -> TsvectorArm:
        frequent = self.frequent if self.passages > LARGE else None
        return TsvectorArm(self.scope, terms, explain, frequent)

    def literal(self, tokens: Sequence[str]) -> TrigramArm:
        return TrigramArm(self.scope, tokens)

    def alike(self, tokens: Sequence[str]) -> TokenSimilarityArm:
        return TokenSimilarityArm(self.scope, tokens, self.text_search_config)

    def semantic(
        self, vector: QueryVector | QueryNotEmbedded | None, generation: GenerationRow | None
    ) -> SemanticArm:
        return SemanticArm(self.scope, vector, generation, self.passages, self.large_scopes)

    async def candidates(
        self, runner: Runner, found: Sequence[RankedMemories], reach: int, max_parts: int
    ) -> Candidates | None:
        passage_ids = np.unique(np.concatenate([each.passage_ids for each in found]))
        source_ids = np.unique(np.concatenate([each.source_ids for each in found]))
        parameters = {
            "source_ids": ArrayParameter(source_ids),
            "reach": reach,
            "max_parts": max_parts,
        }
        limit_s = remaining(STATEMENT_CAP_S) * TIME_SHARE
        await runner.prepare(generic_plans=True, limit_s=limit_s)
        return await read_candidates(
            runner.conn, self.scope, self.text_search_config, passage_ids, parameters
        )

    def outside_conversations(self, passages: Candidates) -> Mask:
        assert passages.conversation_ids is not None
        return np.asarray(passages.conversation_ids == b"")

    async def mentions(self, runner: Runner, passages: Candidates, words: Sequence[str]) -> Floats:
        assert passages.conversation_ids is not None
        return await self.mentions_in(runner, passages.conversation_ids, words)

    async def mentions_in(
        self, runner: Runner, conversation_ids: Array, words: Sequence[str]
    ) -> Floats:
        """Return how many of the words occur in each conversation (`S16`); an empty id means no conversation."""
        conversations, which = np.unique(conversation_ids, return_inverse=True)
        ids = uuids_of(conversations)
        config = self.text_search_config
        held = await find_mentions(runner.conn, self.scope.namespace_id, config, words, ids)
        counts = Counter(mention.conversation_id for mention in held)
        return np.array([counts[each] for each in ids], float)[which]

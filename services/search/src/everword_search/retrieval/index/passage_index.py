"""The protocol of a passage index; the database and the cache return equal results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from everword_search.kernels.arrays import Floats, Mask
from everword_search.passages.candidates import Candidates
from everword_search.passages.ranked_memories import RankedMemories
from everword_search.passages.store import Scope
from everword_search.passages.vectors import GenerationRow, QueryNotEmbedded, QueryVector
from everword_search.retrieval.arms.lexical import LexicalArm, Term
from everword_search.retrieval.arms.semantic import SemanticArm
from everword_search.retrieval.arms.trigram import TokenSimilarityArm, TrigramArm
from everword_search.retrieval.runner import Runner


class PassageIndex(Protocol):
    """The passages of a namespace that pass the search's filter and the query's constraints."""

    @property
    def scope(self) -> Scope:
        """Return the scope of the search, including the query's constraints."""

    def within(self, start: float, end: float) -> PassageIndex:
        """Return the index limited to memories from `start` to before `end`, in seconds since 1970."""

    def lexical(self, terms: Sequence[Term], explain: bool) -> LexicalArm:
        """Return the arm that finds passages by words."""

    def literal(self, tokens: Sequence[str]) -> TrigramArm:
        """Return the arm that finds passages by similarity of literals."""

    def alike(self, tokens: Sequence[str]) -> TokenSimilarityArm:
        """Return the arm that finds passages by similarity of literals and words."""

    def semantic(
        self, vector: QueryVector | QueryNotEmbedded | None, generation: GenerationRow | None
    ) -> SemanticArm:
        """Return the arm that finds passages by meaning.

        `generation` is the vector's model generation, if there is one.
        """

    async def candidates(
        self, runner: Runner, found: Sequence[RankedMemories], reach: int, max_parts: int
    ) -> Candidates | None:
        """Return the passages of the found memories, and of turns up to `reach` positions away; None if there are none.

        For a long memory these are its first `max_parts` passages and the found ones.
        """

    def outside_conversations(self, passages: Candidates) -> Mask:
        """Return a mask of the candidates that belong to no conversation, such as parts of documents."""

    async def mentions(self, runner: Runner, passages: Candidates, words: Sequence[str]) -> Floats:
        """Return, for each candidate, how many of the words (in lower case) occur in its conversation."""

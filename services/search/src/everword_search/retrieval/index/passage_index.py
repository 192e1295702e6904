"""The protocol by which a search looks for passages; the database and the cache find the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from everword_search.kernels.arrays import Floats
from everword_search.passages.candidates import Candidates
from everword_search.passages.ranked import Ranked
from everword_search.passages.store import Scope
from everword_search.passages.vectors import GenerationRow, QueryNotEmbedded, QueryVector
from everword_search.retrieval.arms.lexical import LexicalArm, Term
from everword_search.retrieval.arms.semantic import SemanticArm
from everword_search.retrieval.arms.trigram import AlikeArm, TrigramArm
from everword_search.retrieval.runner import Runner


class PassageIndex(Protocol):
    """The passages of a namespace, as one search sees them: through its filter, and what its query demands."""

    @property
    def scope(self) -> Scope:
        """Return the scope of the search, with what the query demands."""

    def within(self, start: float, end: float) -> PassageIndex:
        """Return the part of it that happened from one moment to before another, in seconds since 1970."""

    def lexical(self, terms: Sequence[Term], explain: bool) -> LexicalArm:
        """Return what finds passages by words."""

    def literal(self, tokens: Sequence[str]) -> TrigramArm:
        """Return what finds passages by likeness of literals."""

    def alike(self, tokens: Sequence[str]) -> AlikeArm:
        """Return what finds passages by likeness of literals and words."""

    def semantic(
        self, vector: QueryVector | QueryNotEmbedded | None, generation: GenerationRow | None
    ) -> SemanticArm:
        """Return what finds passages by meaning; `generation` is that of the vector, if there is one."""

    async def candidates(
        self, runner: Runner, found: Sequence[Ranked], reach: int, max_parts: int
    ) -> Candidates | None:
        """Return the passages of what was found, and of turns up to `reach` places away; None without any.

        Of a long memory, the first `max_parts` are read, and those that were found.
        """

    async def mentions(self, runner: Runner, passages: Candidates, words: Sequence[str]) -> Floats:
        """Return how many of the words the conversation of each candidate holds. They are in lower case."""

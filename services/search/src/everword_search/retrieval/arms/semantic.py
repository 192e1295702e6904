"""The semantic arm: passages whose vectors are similar to the query's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from everword.db.arrays import HalfvecParameter
from everword.db.pool import Connection
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages import vectors
from everword_search.passages.candidates import Candidates
from everword_search.passages.ranked_memories import Candidate, RankedMemories, Window
from everword_search.passages.store import Scope
from everword_search.passages.vectors import (
    EXACT_PASSAGES,
    MOST_COMPARED,
    VISITED,
    VISITED_AT_MOST,
    GenerationRow,
    QueryNotEmbedded,
    QueryVector,
)
from everword_search.retrieval.arms.base import ArmState, RankingArm, SearchArm, scored_position
from everword_search.retrieval.arms.large_scopes import LargeScopes

#: Background mean and deviation assumed for a model that has not been measured yet.
DEFAULT_MEAN = 0.1
DEFAULT_DEVIATION = 0.1
#: Deviations above the background's mean from which a cosine counts as similarity.
DEVIATIONS = 1.0
#: Tolerance of deviations, whose last digits depend on the way of computing.
_LAST_DIGITS = 1e-6


@dataclass(frozen=True)
class _VectorQuery:
    """The query's vector, and the model generation that it is compared with."""

    generation: GenerationRow
    id: int
    vector: HalfvecParameter


class SemanticArm(RankingArm):
    """Ranks passages by cosine, calibrated with the model's cosines of unrelated passages (the background).

    score = max(0, (cosine - floor) / (1 - floor)), where floor is the background's mean plus one deviation. A passage
    matches if its score is above 0.
    """

    name = SearchArm.SEMANTIC

    def __init__(
        self,
        scope: Scope,
        vector: QueryVector | QueryNotEmbedded | None,
        generation: GenerationRow | None,
        passages: int,
        large_scopes: LargeScopes,
    ) -> None:
        """`generation` is the vector's, if there is one; `passages` is the namespace's number of passages."""
        self._scope = scope
        self._vector = vector if isinstance(vector, QueryVector) else None
        self._missing = vector if isinstance(vector, QueryNotEmbedded) else None
        self._generation = generation
        self._passages = passages
        self._large_scopes = large_scopes

    @property
    def idle_reason(self) -> str:
        return str(self._missing or "")

    @property
    def idle_state(self) -> ArmState:
        expected = self._missing is not None and self._missing.expected
        return ArmState.SKIPPED if expected else ArmState.DEGRADED

    @property
    def generic_plans(self) -> bool:
        # In a small namespace every vector is compared, which needs no special plan.
        return self._passages <= EXACT_PASSAGES and self._scope.is_open

    @property
    def floor(self) -> float:
        """The cosine from which passages count as similar."""
        assert self._vector is not None
        if self._vector.floor is not None:
            return self._vector.floor
        # A query that is not English is compared with passages in its own language.
        is_english = self._vector.background is None
        return _floor_of(self._background if is_english else self._other_background)

    async def rank(self, conn: Connection, window: Window) -> RankedMemories:
        asked = self._vector_query()
        parameters = {
            **scored_position(window),
            "floor": self.floor,
            "vector": asked.vector,
        }
        if asked.generation.storage == "array":
            scanned = self._scan(await vectors.read_arrays(conn, self._scope, asked.id))
            return RankedMemories.of(_within(window, scanned))
        return await self._find(conn, asked.id, parameters)

    async def _find(
        self, conn: Connection, generation_id: int, parameters: dict[str, Any]
    ) -> RankedMemories:
        """Compare every vector of a small scope, and use the index for a large one.

        The size of a scope is taken from the namespace's count, from earlier searches, or else from reading the
        passages. If the index finds too little of a scope near the query, the scope is compared, too, unless it has
        more than `MOST_COMPARED` passages.
        """
        if not self._scope.is_open or self._passages <= EXACT_PASSAGES:
            exact = await self._compare(conn, generation_id, parameters, EXACT_PASSAGES)
            if exact is not None:
                return exact
        if not self._large_scopes.has_more(self._scope, MOST_COMPARED):
            found, is_complete = await vectors.find_approximate(
                conn, self._scope, generation_id, parameters, VISITED
            )
            if is_complete:
                return found
            exact = await self._compare(conn, generation_id, parameters, MOST_COMPARED)
            if exact is not None:
                return exact
        found, _ = await vectors.find_approximate(
            conn, self._scope, generation_id, parameters, VISITED_AT_MOST
        )
        return found

    async def _compare(
        self, conn: Connection, generation_id: int, parameters: dict[str, Any], most: int
    ) -> RankedMemories | None:
        """Compare every vector of the scope; return None if it has more than `most` passages."""
        if self._large_scopes.has_more(self._scope, most):
            return None
        exact = await vectors.find_exact(conn, self._scope, generation_id, parameters, most)
        if exact is None:
            self._large_scopes.learn(self._scope, most)
        return exact

    async def score(self, conn: Connection, source_ids: Sequence[UUID]) -> list[Candidate]:
        """Return the cosines of these memories, including those that do not match."""
        asked = self._vector_query()
        if asked.generation.storage == "array":
            rows = await vectors.read_arrays(conn, self._scope, asked.id, source_ids)
            return [_clamped(candidate) for candidate in self._scan(rows)]
        parameters = {"floor": self.floor, "vector": asked.vector}
        scored = await vectors.score_vectors(conn, self._scope, asked.id, source_ids, parameters)
        return [_clamped(Candidate.of_row(row)) for row in scored]

    async def deviations(
        self, conn: Connection, passage_ids: Ints, is_other: npt.NDArray[np.bool_]
    ) -> Floats:
        """Return the cosines of passages in standard deviations from their background; NaN without a vector.

        `is_other` marks the passages that are not English.
        """
        (mean, deviation), other = self._background, self._other_background
        means, deviations = (
            np.where(is_other, other[0], mean),
            np.where(is_other, other[1], deviation),
        )
        return np.asarray((await self.cosines(conn, passage_ids) - means) / deviations)

    async def cosines(self, conn: Connection, passage_ids: Ints) -> Floats:
        """Return the cosines of passages; NaN without a vector."""
        asked = self._vector_query()
        namespace_id = self._scope.namespace_id
        if asked.generation.storage == "array":
            rows = await vectors.read_passage_arrays(conn, namespace_id, asked.id, passage_ids)
            known = {
                row.passage_id: float(vectors.array_of(row.embedding) @ asked.vector.values)
                for row in rows
            }
            return np.array([known.get(each, np.nan) for each in passage_ids.tolist()], float)
        return await vectors.score_passages(conn, namespace_id, asked.id, passage_ids, asked.vector)

    @property
    def _background(self) -> tuple[float, float]:
        """Mean and standard deviation of the cosines with unrelated passages in English."""
        assert self._vector is not None
        assert self._generation is not None
        mean, deviation = self._vector.background or (
            self._generation.background_mean,
            self._generation.background_deviation,
        )
        return (
            DEFAULT_MEAN if mean is None else mean,
            # A model whose cosines are all equal has a deviation of 0, which must not be a divisor.
            max(DEFAULT_DEVIATION if deviation is None else deviation, 1e-6),
        )

    @property
    def _other_background(self) -> tuple[float, float]:
        """The same for passages in other languages."""
        assert self._vector is not None
        return self._vector.other_languages or self._background

    def _vector_query(self) -> _VectorQuery:
        assert self._vector is not None
        assert self._generation is not None
        return _VectorQuery(
            self._generation, self._vector.generation_id, HalfvecParameter(self._vector.values)
        )

    def _scan(self, rows: Sequence[vectors.ArrayRow]) -> list[Candidate]:
        """Score plain arrays, for a database without pgvector; scores below the floor are negative."""
        assert self._vector is not None
        assert self._generation is not None
        if not rows:
            return []
        matrix = np.stack([vectors.array_of(row.embedding) for row in rows])
        cosines = matrix @ self._vector.values
        floor = self.floor
        scores = np.round((cosines - floor) / (1 - floor), 9)
        best: dict[UUID, Candidate] = {}
        for row, raw, score in zip(rows, cosines.tolist(), scores.tolist(), strict=True):
            found = Candidate(row.source_id, row.passage_id, raw, score, [score, row.passage_id])
            known = best.get(row.source_id)
            if known is None or found.position > known.position:
                best[row.source_id] = found
        return list(best.values())


def _within(window: Window, candidates: Sequence[Candidate]) -> list[Candidate]:
    after = tuple(window.after[:2]) if window.after else (2.0, 0)
    requested = [
        candidate
        for candidate in candidates
        if candidate.matches
        and candidate.score >= window.min_score
        and tuple(candidate.position) < after
    ]
    return sorted(requested, key=lambda each: each.position, reverse=True)[: window.limit]


def _clamped(candidate: Candidate) -> Candidate:
    return candidate if candidate.matches else replace(candidate, score=0.0)


def without_floor(vector: QueryVector) -> QueryVector:
    """Return a vector to which every passage is similar."""
    return replace(vector, floor=-1.0)


def across_languages(vector: QueryVector) -> QueryVector:
    """Return a vector to which English passages can be similar, too, although their cosines are lower."""
    return replace(vector, floor=_floor_of(vector.background)) if vector.background else vector


def without_dissimilar(
    passages: Candidates, deviations: Floats, others: Sequence[RankedMemories]
) -> Candidates:
    """Return passages of which those that only the semantic arm found are found if they are similar for their language.

    For a question that is not English, the arm returns all passages that would be similar in English. `others` are the
    candidates of the other arms.
    """
    named = np.zeros(len(deviations), bool)
    for each in others:
        named |= np.isin(passages.passage_ids, each.passage_ids)
    is_dissimilar = deviations < DEVIATIONS - _LAST_DIGITS
    return replace(passages, found=passages.found & (named | ~is_dissimilar))


def _floor_of(background: tuple[float, float]) -> float:
    mean, deviation = background
    return mean + DEVIATIONS * deviation

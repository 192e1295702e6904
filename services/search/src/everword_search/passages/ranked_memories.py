"""Memories returned by an arm of a search, best first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

import numpy as np

from everword.db.arrays import Array, array_of_uuids, uuids_of


@dataclass(frozen=True)
class TermScore:
    """The contribution of one term to a BM25 score."""

    term: str
    idf: float
    document_frequency: int
    term_frequency: int
    score: float


class PassageScore(Protocol):
    """A scored passage, the best one of its memory."""

    @property
    def source_id(self) -> UUID: ...

    @property
    def passage_id(self) -> int: ...

    @property
    def raw(self) -> float: ...

    @property
    def score(self) -> float: ...


@dataclass(frozen=True)
class Candidate:
    """A memory as scored by one arm, with its best passage."""

    source_id: UUID
    passage_id: int
    raw: float
    #: `raw` scaled to 0–1.
    score: float
    #: Cursor: the arm's next page begins after this position.
    position: list[Any]
    terms: tuple[TermScore, ...] = ()

    @classmethod
    def of_row(cls, row: PassageScore) -> Candidate:
        position = [row.score, row.passage_id]
        return cls(row.source_id, row.passage_id, row.raw, row.score, position)

    @property
    def matches(self) -> bool:
        return self.score > 0


@dataclass(frozen=True, eq=False)
class RankedMemories:
    """Memories returned by an arm, best first, as columns with an element per memory."""

    passage_ids: Array
    #: `S16`; see `everword.db.arrays`.
    source_ids: Array
    raws: Array
    scores: Array
    #: Contributions of the terms by memory; empty unless requested.
    terms: Mapping[UUID, tuple[TermScore, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> RankedMemories:
        return cls(
            np.array([each.passage_id for each in candidates], np.int64),
            array_of_uuids([each.source_id for each in candidates]),
            np.array([each.raw for each in candidates], float),
            np.array([each.score for each in candidates], float),
            {each.source_id: each.terms for each in candidates if each.terms},
        )

    def candidates(self) -> list[Candidate]:
        columns = zip(
            uuids_of(self.source_ids),
            self.passage_ids.tolist(),
            self.raws.tolist(),
            self.scores.tolist(),
            strict=True,
        )
        return [
            Candidate(
                source_id,
                passage_id,
                raw,
                score,
                [score, passage_id],
                self.terms.get(source_id, ()),
            )
            for source_id, passage_id, raw, score in columns
        ]

    def places_of(self, source_ids: Array) -> Array:
        """Return the place of each memory in this ranking; -1 if it is not ranked."""
        if not len(self.source_ids):
            return np.full(len(source_ids), -1)
        order = np.argsort(self.source_ids)
        slots = np.searchsorted(self.source_ids, source_ids, sorter=order)
        places = order[np.minimum(slots, len(order) - 1)]
        return np.where(self.source_ids[places] == source_ids, places, -1)


@dataclass(frozen=True)
class Window:
    """The part of an arm's ranking to return."""

    limit: int
    #: Position of the last candidate of the previous page; None for the first page. If that candidate still exists, its
    #: current score counts: writes change scores, and cache and database compute them with different last digits.
    after: list[Any] | None = None
    min_score: float = 0.0
    #: Candidates with less evidence are left out; candidates of unknown evidence stay.
    min_evidence: float = -math.inf
    #: In the profile `recall`, candidates with a lower log-odds of a match are left out, instead of `min_evidence`.
    min_match: float = -math.inf
    #: How many summaries may be returned on top of `limit` other memories, so that they displace none of these.
    spare: int = 0
    #: True if the last candidates may be exchanged for about equally good ones, because a later stage ranks again.
    rough: bool = False

    def admits(self, score: float, evidence: float | None) -> bool:
        return score >= self.min_score and (evidence is None or evidence >= self.min_evidence)

"""The protocol of a search's arms."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from everword.db.pool import Connection
from everword_search.retrieval.index.kinds import STANDING_FOR_OTHERS
from everword_search.retrieval.model import ArmState, Candidate, Ranked, SearchArm


@dataclass(frozen=True)
class Window:
    """The part of an arm's candidates that is asked for."""

    limit: int
    #: Position of the last candidate of the page before; None for the best ones. What it scores now counts, where it is
    #: still there: writes change scores, and memory and database compute them with other last digits.
    after: list[Any] | None = None
    min_score: float = 0.0
    #: Hits with less evidence are left out; those of which it cannot be told stay.
    min_evidence: float = -math.inf
    #: How many that stand for others may come on top of `limit` others: they must push none of those aside.
    spare: int = 0
    #: Whether the last candidates may be others that are about as good: all are ranked again by something else.
    rough: bool = False

    def admits(self, score: float, evidence: float | None) -> bool:
        return score >= self.min_score and (evidence is None or evidence >= self.min_evidence)


class Arm(ABC):
    """Finds candidates for one query. It is made for the query, and lives as long as the call."""

    name: ClassVar[SearchArm]
    #: The most seconds that one statement of the arm may take.
    time_limit_s: float = 60.0

    @property
    @abstractmethod
    def idle_reason(self) -> str:
        """Why the query gives the arm nothing to do; empty where it does."""

    @property
    def generic_plans(self) -> bool:
        """Tell whether the statements of `find` are always alike, so that one plan serves them all."""
        return False

    @property
    def asks_nothing(self) -> bool:
        """Tell whether `find` asks the database nothing."""
        return False

    @property
    def idle_state(self) -> ArmState:
        """Return the state of an arm that has nothing to do: usually, the query gives it nothing."""
        return ArmState.SKIPPED

    @abstractmethod
    async def find(self, conn: Connection, window: Window) -> list[Candidate]:
        """Return the candidates in `window`, best first, each memory once."""


class RankingArm(Arm):
    """An arm whose score is relevance, so that it can be fused with those of others.

    The score lies between 0 and 1 and depends on the query, the memory and the statistics of the whole namespace, never
    on which other candidates there are.
    """

    @abstractmethod
    async def rank(self, conn: Connection, window: Window) -> Ranked:
        """Return the candidates in `window` as columns, best first, each memory once."""

    async def find(self, conn: Connection, window: Window) -> list[Candidate]:
        return (await self.rank(conn, window)).candidates()

    @abstractmethod
    async def score(self, conn: Connection, source_ids: Sequence[UUID]) -> list[Candidate]:
        """Return what the arm says of these memories; those that it does not match score 0, or are left out.

        Comes after `find`, and only for memories that the filter lets through.
        """


def scored_position(window: Window) -> dict[str, Any]:
    """Return the parameters of a statement that continues after a score and a passage."""
    # No score is above 1, so that the first page begins after 2. More than two elements has a position of several arms,
    # all but one of which may have failed since.
    score, passage_id, *_ = window.after or (2.0, 0)
    return {
        "after_score": float(score),
        "after_id": int(passage_id),
        "min_score": float(window.min_score),
        "limit": window.limit,
        "spare": window.spare,
        "standing_for_others": list(STANDING_FOR_OTHERS),
    }

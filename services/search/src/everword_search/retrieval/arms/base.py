"""The interface of a search's arms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar
from uuid import UUID

from everword.db.pool import Connection
from everword_search.passages.ranked_memories import Candidate, RankedMemories, Window


class SearchArm(IntEnum):
    """A way to find candidates. Values equal proto `SearchArm`."""

    LEXICAL = 1
    TRIGRAM = 2
    REGEX = 3
    SEMANTIC = 4
    GRAPH = 5


class ArmState(IntEnum):
    """The outcome of an arm. Values equal proto `ArmReport.State`."""

    RAN = 1
    SKIPPED = 2
    DEGRADED = 3


@dataclass(frozen=True)
class ArmReport:
    """An arm's outcome, with the reason and the duration in seconds."""

    arm: SearchArm
    state: ArmState
    reason: str = ""
    duration_s: float = 0.0


class Arm(ABC):
    """Finds candidates for one query. An instance serves a single call."""

    name: ClassVar[SearchArm]
    #: Maximum seconds of one statement of the arm.
    time_limit_s: float = 60.0

    @property
    @abstractmethod
    def idle_reason(self) -> str:
        """The reason why the arm does not run for this query; empty if it runs."""

    @property
    def generic_plans(self) -> bool:
        """True if the statements of `find` have constant texts and suit one generic plan."""
        return False

    @property
    def needs_no_statement(self) -> bool:
        """True if `find` needs no statement."""
        return False

    @property
    def idle_state(self) -> ArmState:
        """The state reported if the arm does not run; by default, the query has nothing for it."""
        return ArmState.SKIPPED

    @abstractmethod
    async def find(self, conn: Connection, window: Window) -> list[Candidate]:
        """Return the candidates in `window`, best first, each memory once."""


class RankingArm(Arm):
    """An arm whose score measures relevance, so that it can be combined with other arms.

    The score is between 0 and 1. It depends on the query, the memory and the statistics of the whole namespace, never
    on the other candidates.
    """

    @abstractmethod
    async def rank(self, conn: Connection, window: Window) -> RankedMemories:
        """Return the candidates in `window` as columns, best first, each memory once."""

    async def find(self, conn: Connection, window: Window) -> list[Candidate]:
        return (await self.rank(conn, window)).candidates()

    @abstractmethod
    async def score(self, conn: Connection, source_ids: Sequence[UUID]) -> list[Candidate]:
        """Return the arm's scores of these memories; memories that do not match score 0 or are left out.

        Called after `find`, and only for memories that pass the filter.
        """


def scored_position(window: Window) -> dict[str, Any]:
    """Return the parameters of a statement that continues after a position (score, passage id)."""
    # Scores are at most 1, so the first page begins after 2. A position of several arms has more elements, and all arms
    # but this one may have failed since.
    score, passage_id, *_ = window.after or (2.0, 0)
    return {
        "after_score": float(score),
        "after_id": int(passage_id),
        "min_score": float(window.min_score),
        "limit": window.limit,
        "spare": window.spare,
    }

"""The protocol of a search's arms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar
from uuid import UUID

from everword.db.pool import Connection
from everword_search.passages.ranked import Candidate, Ranked, Window


class SearchArm(IntEnum):
    """A way in which candidates are found. Values equal proto `SearchArm`."""

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
    """The report of an arm: its outcome, the reason, and how long it took."""

    arm: SearchArm
    state: ArmState
    reason: str = ""
    duration_s: float = 0.0


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
    }

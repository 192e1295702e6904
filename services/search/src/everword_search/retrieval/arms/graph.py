"""The graph arm: memories related to nodes that other arms found, whatever words they contain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from everword.db.arrays import Array, uuids_of
from everword.db.pool import Connection
from everword_search.passages import store
from everword_search.passages.ranked_memories import Candidate, RankedMemories, Window
from everword_search.passages.store import Scope
from everword_search.retrieval.arms.base import Arm, SearchArm

#: Maximum memories of each other arm to start from, the best ones.
_BEGUN_AT = 30
#: Relations followed per node and direction, most confident first.
FAN_OUT = 10


class GraphArm(Arm):
    """Follows relations from nodes among the candidates of other arms, so it runs after them."""

    name = SearchArm.GRAPH

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        #: Ids of memories as `S16`; see `everword.db.arrays`.
        self._begin: Array = np.zeros(0, "S16")

    @property
    def idle_reason(self) -> str:
        return "" if len(self._begin) else "no other arm found a node to begin at"

    @property
    def generic_plans(self) -> bool:
        return True

    def begin_at(self, found: Sequence[RankedMemories]) -> None:
        """Start from the best candidates of other arms."""
        ids = [each.source_ids[:_BEGUN_AT] for each in found if len(each.source_ids)]
        self._begin = np.unique(np.concatenate(ids)) if ids else np.zeros(0, "S16")

    async def find(self, conn: Connection, window: Window) -> list[Candidate]:
        """Return related nodes and the messages that state the relations, most confident first."""
        ids = uuids_of(self._begin)
        rows = await store.find_related(conn, self._scope, ids, FAN_OUT, window.limit)
        return [
            Candidate(row.source_id, row.passage_id, row.raw, row.raw, [row.raw, row.passage_id])
            for row in rows
        ]

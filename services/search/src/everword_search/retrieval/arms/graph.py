"""The arm of the graph: what is related to the nodes that other arms found, whatever words it has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from everword.db.arrays import Array, uuids_of
from everword.db.pool import Connection
from everword_search.passages import store
from everword_search.passages.ranked import Candidate, Ranked, Window
from everword_search.passages.store import Scope
from everword_search.retrieval.arms.base import Arm, SearchArm

#: Memories of each other arm that are begun at where they are nodes, the best first.
_BEGUN_AT = 30
#: Relations of a node that are followed in each direction, the surest first.
FAN_OUT = 10


class GraphArm(Arm):
    """Follows relations from nodes. It begins at what others found, so it runs after them."""

    name = SearchArm.GRAPH

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        #: `S16`; see `everword.db.arrays`.
        self._begin: Array = np.zeros(0, "S16")

    @property
    def idle_reason(self) -> str:
        return "" if len(self._begin) else "no other arm found a node to begin at"

    @property
    def generic_plans(self) -> bool:
        return True

    def begin_at(self, found: Sequence[Ranked]) -> None:
        """Begin at the best of what other arms found."""
        ids = [each.source_ids[:_BEGUN_AT] for each in found if len(each.source_ids)]
        self._begin = np.unique(np.concatenate(ids)) if ids else np.zeros(0, "S16")

    async def find(self, conn: Connection, window: Window) -> list[Candidate]:
        """Return nodes that nodes lead to, and messages that say so, the surest first."""
        ids = uuids_of(self._begin)
        rows = await store.find_related(conn, self._scope, ids, FAN_OUT, window.limit)
        return [
            Candidate(row.source_id, row.passage_id, row.raw, row.raw, [row.raw, row.passage_id])
            for row in rows
        ]

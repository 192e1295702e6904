"""Facts that the query does not name, and that are linked to one which it does: these come with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from everword.db.pool import Connection
from everword.facts.attributes import find_attribute
from everword_search.context.model import Candidate
from everword_search.facts.store import KnownRow, find_linked

#: Links that are followed, and what a sure one counts beside how far a fact is believed: as much as being asked for.
_MOST, _LIFT = 20, 1.0
#: By the column `relation`: what the first fact is to the second, and the second to the first.
_WORDS = {
    1: ("causes", "caused by"),
    2: ("related to", "related to"),
    3: ("supports", "supported by"),
    4: ("contradicts", "contradicts"),
    5: ("before", "after"),
    6: ("part of", "contains"),
}


@dataclass(frozen=True)
class Linked:
    """What a fact is to one that the query names."""

    remark: str
    #: How sure that is.
    confidence: float

    def lift(self, candidate: Candidate) -> Candidate:
        """Return the fact with what it is to the other one, before those that are only believed."""
        remark = ", ".join(each for each in (candidate.remark, self.remark) if each)
        return replace(candidate, remark=remark, lift=_LIFT * self.confidence)


async def read_linked(
    conn: Connection, namespace_id: int, rows: Sequence[KnownRow], query: str
) -> Mapping[UUID, Linked]:
    """Return, by their ids, those of some facts that are linked to one of them which shares a word with the query."""
    if not rows or not query:
        return {}
    by_id = {row.id: row for row in rows}
    linked: dict[UUID, Linked] = {}
    for edge in await find_linked(conn, namespace_id, list(by_id), query, _MOST):
        first, second = edge.from_fact_id, edge.to_fact_id
        own, other, which = (second, first, 1) if edge.from_named else (first, second, 0)
        label = find_attribute(by_id[other].attribute).label
        remark = f"{_WORDS[edge.relation][which]}: {label}"
        linked.setdefault(own, Linked(remark, edge.confidence))
    return linked

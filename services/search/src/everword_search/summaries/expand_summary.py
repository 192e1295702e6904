"""Walk from summaries down to the nodes and messages that they were made from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import SummaryNotFound
from everword.domain.records import MemoryRecord
from everword_search.records.freshness import ensure_fresh
from everword_search.summaries import store
from everword_search.summaries.model import Expansion, ExpansionLimits
from everword_search.summaries.store import SummaryRow

#: Nodes and messages of one answer, whatever its limits say.
MAX_ITEMS = 2000
#: Their texts together: 8 MiB at 4 bytes a character, a quarter of what the transport takes.
MAX_CHARS = 2 * 1024 * 1024


async def expand_summary(
    database: Database,
    namespace: NamespaceScope,
    summary_id: UUID,
    limits: ExpansionLimits,
    at_least_as_fresh: str = "",
) -> Expansion:
    """Return what is below a summary. Raises SummaryNotFound."""
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, at_least_as_fresh)
        expanded = await expand_all(conn, namespace.id, [summary_id], limits)
    if summary_id not in expanded:
        raise SummaryNotFound(summary_id=summary_id)
    return expanded[summary_id]


async def expand_all(
    conn: Connection, namespace_id: int, ids: Sequence[UUID], limits: ExpansionLimits
) -> dict[UUID, Expansion]:
    """Return what is below each of the summaries that exist: two statements a level, however many nodes it has.

    What is nearer to the top goes first where not everything fits into one answer.
    """
    chars = limits.max_content_chars
    top = [_Node(row) for row in await store.get_summaries(conn, namespace_id, ids, chars)]
    room = min(MAX_ITEMS, MAX_CHARS // chars)
    level = top
    for _ in range(limits.depth):
        level = [node for node in level if node.row.below]
        if not level or room <= 0:
            break
        above = [node.row.id for node in level]
        children = await store.read_children(
            conn, namespace_id, above, limits.max_children, room, chars
        )
        room -= len(children)
        sources = await store.read_sources(
            conn, namespace_id, above, limits.max_sources, max(0, room), chars
        )
        room -= len(sources)
        nodes, messages = defaultdict(list), defaultdict(list)
        for child in children:
            nodes[child.above_id].append(_Node(child))
        for source in sources:
            messages[source.above_id].append(source.memory(chars))
        for node in level:
            node.children, node.sources = nodes[node.row.id], messages[node.row.id]
        level = [child for node in level for child in node.children]
    return {node.row.id: node.expansion() for node in top}


@dataclass
class _Node:
    """A node, and what was read of what is below it."""

    row: SummaryRow
    children: list[_Node] = field(default_factory=list)
    sources: list[MemoryRecord] = field(default_factory=list)

    def expansion(self) -> Expansion:
        shown = len(self.children) + len(self.sources)
        return Expansion(
            self.row,
            [child.expansion() for child in self.children],
            self.sources,
            self.row.below - shown,
        )

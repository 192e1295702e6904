"""Expand summaries into the nodes and messages below them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import SummaryNotFound
from everword.domain.records import MemoryRecord
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.records.freshness import fresh_transaction
from everword_search.summaries import store
from everword_search.summaries.model import Expansion, ExpansionLimits
from everword_search.summaries.store import SummaryTreeRow

#: Maximum nodes and messages of one response, whatever its limits.
MAX_ITEMS = 2000
#: Maximum characters of their texts together: 8 MiB at 4 bytes each, a quarter of the transport's limit.
MAX_CHARS = 2 * 1024 * 1024


async def expand_summary(
    database: Database,
    namespace: NamespaceScope,
    summary_id: UUID,
    limits: ExpansionLimits,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Expansion, str]:
    """Return a page of the nodes or messages below a summary, and the next page's token, empty after the last.

    Raises SummaryNotFound and InvalidPageToken.
    """
    cursor = await open_cursor(database, namespace, "ExpandSummary", page)
    # Without a page size, the expansion limits determine the size of a page.
    most = cursor.size if page.size else None
    after = cursor.after[0] if cursor.after else 0
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        expanded = await expand_all(conn, namespace.id, [summary_id], limits, after, most)
    if summary_id not in expanded:
        raise SummaryNotFound(summary_id=summary_id)
    expansion = expanded[summary_id]
    goes_on = 0 < expansion.last_place < expansion.below
    return expansion, cursor.token([expansion.last_place]) if goes_on else ""


async def expand_all(
    conn: Connection,
    namespace_id: int,
    ids: Sequence[UUID],
    limits: ExpansionLimits,
    after: int = 0,
    maximum: int | None = None,
) -> dict[UUID, Expansion]:
    """Return the expansion of each existing summary, with two SQL statements per level for any number of nodes.

    On the first level, items begin after position `after`, and `maximum` replaces the limits on width. If one response
    cannot hold everything, levels nearer the top come first.
    """
    top = [
        _ExpandedNode(row)
        for row in await store.get_summaries(conn, namespace_id, ids, limits.max_content_chars)
    ]
    available = min(MAX_ITEMS, MAX_CHARS // limits.max_content_chars)
    widths = limits
    if maximum is not None:
        widths = replace(limits, max_children=maximum, max_sources=maximum)
    level = top
    for _ in range(limits.depth):
        level = [node for node in level if node.row.below]
        if not level or available <= 0:
            break
        available -= await _read_below(conn, namespace_id, level, widths, after, available)
        level = [child for node in level for child in node.children]
        widths, after = limits, 0
    return {node.row.id: node.expansion() for node in top}


async def _read_below(
    conn: Connection,
    namespace_id: int,
    level: Sequence[_ExpandedNode],
    limits: ExpansionLimits,
    after: int,
    budget: int,
) -> int:
    """Read the items right below nodes after a position, and return how many were read."""
    above, chars = [node.row.id for node in level], limits.max_content_chars
    children = await store.read_children(
        conn, namespace_id, above, after, limits.max_children, budget, chars
    )
    left = max(0, budget - len(children))
    sources = await store.read_sources(
        conn, namespace_id, above, after, limits.max_sources, left, chars
    )
    nodes, messages = defaultdict(list), defaultdict(list)
    for child in children:
        nodes[child.above_id].append(_ExpandedNode(child))
    for source in sources:
        messages[source.above_id].append(source.memory(chars))
    # A node has either nodes or messages below it, numbered in one order.
    places = {row.above_id: row.ordinal for row in children}
    places |= {row.above_id: row.ordinal for row in sources}
    for node in level:
        id_ = node.row.id
        node.children, node.sources = nodes[id_], messages[id_]
        node.last_place = places.get(id_, 0)
    return len(children) + len(sources)


@dataclass
class _ExpandedNode:
    """A node with the items read below it."""

    row: SummaryTreeRow
    children: list[_ExpandedNode] = field(default_factory=list)
    sources: list[MemoryRecord] = field(default_factory=list)
    last_place: int = 0

    def expansion(self) -> Expansion:
        return Expansion(
            self.row,
            [child.expansion() for child in self.children],
            self.sources,
            self.row.below,
            self.last_place,
        )

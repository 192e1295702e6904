"""Nodes among results: with what they are related to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from everword.db.pool import Connection
from everword.v1.memory_pb2 import MEMORY_KIND_NODE
from everword_search.graph import store
from everword_search.graph.model import Steps, View
from everword_search.graph.traverse import read_ends
from everword_search.retrieval.model import SearchRequest, SearchResult

#: Of a node, and nodes of a page that come with theirs.
MOST_RELATIONS, _NODES = 10, 10


async def with_relations(
    conn: Connection,
    namespace_id: int,
    results: Sequence[SearchResult],
    request: SearchRequest,
    is_first_page: bool,
) -> list[SearchResult]:
    """Return the results, each node with its relations as lines: so a query finds what shares no word with it."""
    if not request.with_relations:
        return list(results)
    kinds = {result.memory.id: result.memory.kind for result in results}
    found = [id_ for id_, kind in kinds.items() if kind == MEMORY_KIND_NODE][:_NODES]
    nodes = await store.find_versions(conn, namespace_id, found)
    view = View(
        request.filter.agents,
        request.filter.subjects,
        request.filter.valid_at,
        request.filter.known_at,
    )
    ids = list(dict.fromkeys(nodes.values()))
    rows = await store.follow_edges(conn, namespace_id, view, ids, Steps(1, MOST_RELATIONS))
    _, edges = await read_ends(conn, namespace_id, view, [], rows)
    lines = dict[UUID, list[str]]()
    for edge in edges:
        for id_ in {edge.from_id, edge.to_id}:
            line, own = edge.text(), lines.setdefault(id_, [])
            if line not in own and len(own) < MOST_RELATIONS:
                own.append(line)
    return [
        replace(result, relations=lines.get(nodes.get(result.memory.id, result.memory.id), []))
        if result.memory.kind == MEMORY_KIND_NODE
        else result
        for result in results
    ]

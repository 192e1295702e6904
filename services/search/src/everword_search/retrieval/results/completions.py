"""Complete results with fields that only their kind has.

A new kind needs an entry here only if its results have such fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.memory_kinds import MemoryKind
from everword_search.graph.model import Steps, View
from everword_search.graph.store import find_versions, follow_edges
from everword_search.graph.traverse import read_ends
from everword_search.retrieval.model import SearchRequest, SearchResult
from everword_search.summaries.expand_summary import expand_all
from everword_search.summaries.model import ExpandMode
from everword_search.summaries.store import read_review_flags

#: Number of summaries that `ExpandMode.TOP` expands.
TOP = 3
#: Maximum relations of a node, and maximum nodes of a page with relations.
MOST_RELATIONS, _NODES = 10, 10


async def with_summaries(
    conn: Connection,
    namespace_id: int,
    results: Sequence[SearchResult],
    request: SearchRequest,
    is_first_page: bool,
) -> list[SearchResult]:
    """Return the results with summaries marked for review and expanded as requested."""
    found = [result.memory.id for result in results if result.memory.kind == MemoryKind.SUMMARY]
    if not found:
        return list(results)
    marks = await read_review_flags(conn, namespace_id, found)
    requested = _expanded(found, request.expand, is_first_page)
    limits = request.expansion_limits
    expansions = await expand_all(conn, namespace_id, requested, limits) if requested else {}
    return [
        replace(
            result,
            needs_review=marks[id_].needs_review,
            incomplete=marks[id_].incomplete,
            expansion=expansions.get(id_),
        )
        if (id_ := result.memory.id) in marks
        else result
        for result in results
    ]


def _expanded(found: Sequence[UUID], mode: ExpandMode, is_first_page: bool) -> Sequence[UUID]:
    if mode is ExpandMode.ALL:
        return found
    return found[:TOP] if mode is ExpandMode.TOP and is_first_page else []


async def with_relations(
    conn: Connection,
    namespace_id: int,
    results: Sequence[SearchResult],
    request: SearchRequest,
    is_first_page: bool,
) -> list[SearchResult]:
    """Return the results, nodes with their relations as lines.

    Through relations, a query finds related names that share no word with it.
    """
    if not request.with_relations:
        return list(results)
    kinds = {result.memory.id: result.memory.kind for result in results}
    found = [id_ for id_, kind in kinds.items() if kind == MemoryKind.NODE][:_NODES]
    nodes = await find_versions(conn, namespace_id, found)
    view = View(
        request.filter.agents,
        request.filter.subjects,
        request.filter.valid_at,
        request.filter.known_at,
    )
    ids = list(dict.fromkeys(nodes.values()))
    rows = await follow_edges(conn, namespace_id, view, ids, Steps(1, MOST_RELATIONS))
    _, edges = await read_ends(conn, namespace_id, view, [], rows)
    lines = dict[UUID, list[str]]()
    for edge in edges:
        for id_ in {edge.from_id, edge.to_id}:
            line, own = edge.text(), lines.setdefault(id_, [])
            if line not in own and len(own) < MOST_RELATIONS:
                own.append(line)
    return [
        replace(result, relations=lines.get(nodes.get(result.memory.id, result.memory.id), []))
        if result.memory.kind == MemoryKind.NODE
        else result
        for result in results
    ]


class Completion(Protocol):
    """Returns the results, with those of one kind completed."""

    async def __call__(
        self,
        conn: Connection,
        namespace_id: int,
        results: Sequence[SearchResult],
        request: SearchRequest,
        is_first_page: bool,
    ) -> list[SearchResult]: ...


#: By `MemoryKind`.
COMPLETIONS: dict[int, Completion] = {
    MemoryKind.SUMMARY: with_summaries,
    MemoryKind.NODE: with_relations,
}


def completions_of(results: Sequence[SearchResult]) -> list[Completion]:
    """Return the completions for the kinds of these results."""
    kinds = {result.memory.kind for result in results}
    return [completion for kind, completion in COMPLETIONS.items() if kind in kinds]

"""Find nodes that may be duplicates of a node: similar labels or similar meaning."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from everword.domain.caller import NamespaceScope
from everword.domain.memory_kinds import MemoryKind
from everword.graph.rows import NodeView
from everword.rpc.pages import PageRequest
from everword_search.graph import store
from everword_search.graph.model import View
from everword_search.graph.read_graph import get_node
from everword_search.graph_search.topic import label_likeness
from everword_search.records.model import MemoryFilter
from everword_search.retrieval.arms.base import SearchArm
from everword_search.retrieval.model import SearchMode, SearchRequest, SearchResult
from everword_search.retrieval.search import find_memories
from everword_search.retrieval.sources import Sources

#: Candidates examined, and suggestions returned.
_CHECKED, _MOST = 50, 10
#: Minimum label similarity, and minimum cosine; one of them suffices for a suggestion.
MIN_TITLE_SIMILARITY, LEAST_COSINE = 0.5, 0.8


async def suggest_merges(
    sources: Sources, namespace: NamespaceScope, node_id: UUID, at_least_as_fresh: str = ""
) -> list[Suggestion]:
    """Return nodes of the same agent and subject that may be duplicates, most similar first. Raises NodeNotFound."""
    node = (await get_node(sources.database, namespace, node_id, at_least_as_fresh)).node
    # A hybrid search covers both: similar labels share a word, similar meanings have near vectors.
    search = SearchRequest(
        text=f"{node.label} ({node.type.replace('_', ' ')})",
        mode=SearchMode.HYBRID,
        filter=MemoryFilter(
            kinds=[MemoryKind.NODE],
            agents=[node.agent],
            subjects=[node.subject],
            excluded_memory_ids=[node.memory_id],
        ),
        page=PageRequest(_CHECKED),
        operators=False,
        with_relations=False,
    )
    response, _ = await find_memories(sources, namespace, search)
    found = {each.memory.id: each for each in response.results}
    async with sources.database.transaction(namespace.id) as conn:
        ids = await store.find_versions(conn, namespace.id, list(found)) if found else {}
        nodes = await store.read_nodes(conn, namespace.id, View(), list(ids.values()))
    suggestions = [
        _compare(node, nodes[id_], found[memory_id])
        for memory_id, id_ in ids.items()
        if id_ in nodes and id_ != node.id
    ]
    likely = [each for each in suggestions if _is_likely(each)]
    return sorted(likely, key=_merge_similarity, reverse=True)[:_MOST]


def _compare(node: NodeView, other: NodeView, result: SearchResult) -> Suggestion:
    names, others = [node.label, *node.aliases], [other.label, *other.aliases]
    cosines = [part.raw for part in result.hit.parts if part.arm is SearchArm.SEMANTIC]
    return Suggestion(other, label_likeness(names, others), cosines[0] if cosines else None)


def _is_likely(suggestion: Suggestion) -> bool:
    near = suggestion.cosine is not None and suggestion.cosine >= LEAST_COSINE
    return near or suggestion.label_likeness >= MIN_TITLE_SIMILARITY


def _merge_similarity(suggestion: Suggestion) -> float:
    return max(suggestion.label_likeness, suggestion.cosine or 0.0)


@dataclass(frozen=True)
class Suggestion:
    """A node that may be a duplicate, with its similarities."""

    node: NodeView
    label_likeness: float
    #: None if the semantic arm did not return the node.
    cosine: float | None

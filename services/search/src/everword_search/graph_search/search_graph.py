"""Find the nodes that a topic names or is close to in meaning, and their relations."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.caller import NamespaceScope
from everword.domain.errors import EmbedderUnavailable
from everword.domain.memory_kinds import MemoryKind
from everword.graph.labels import Anchor, label_hash
from everword.graph.rows import EdgeView, NodeView
from everword.rpc.pages import PageRequest
from everword_search.graph import store
from everword_search.graph.model import DEFAULT_DEPTH, DEFAULT_EDGES, Steps, Subgraph, View
from everword_search.graph.store import StepRow
from everword_search.graph.traverse import reach, read_ends
from everword_search.graph_search.topic import Topic
from everword_search.records.freshness import fresh_transaction
from everword_search.records.model import MemoryFilter
from everword_search.retrieval.model import SearchMode, SearchRequest
from everword_search.retrieval.search import find_memories
from everword_search.retrieval.sources import Sources

#: Number of nodes near the query's meaning to start from, and their minimum cosine.
_NEAR, LEAST_COSINE = 8, 0.45
#: Maximum nodes of a label, and maximum anchors per kind; with more, it is ambiguous which user is meant.
_NAMED, _ANCHORS = 50, 2
#: Relations of an anchor that are scanned for ones that the query is about.
_ANCHOR_FAN_OUT = 200
#: Weight of a node that the query names, and of a node related to the speaker. Nodes near in meaning weigh their
#: cosine.
_NAMED_WEIGHT, _STATED_WEIGHT = 1.0, 0.8
#: Share of a node's weight that is left after one step; added weight per word that query and relation share, if both
#: ends are starting nodes, and per unit of the relation's confidence.
_STEP, _SHARED, _BOTH, _SURE = 0.5, 0.5, 1.0, 0.1
_MOST_SHARED = 3


@dataclass(frozen=True)
class RankedEdge:
    """A relation with its weight for the topic: a named node contributes 1."""

    edge: EdgeView
    weight: float


@dataclass(frozen=True)
class TopicNeighbourhood:
    """Nodes and relations of a topic: named nodes and the heaviest relations first."""

    nodes: Sequence[NodeView] = ()
    edges: Sequence[RankedEdge] = ()

    @property
    def subgraph(self) -> Subgraph:
        return Subgraph(self.nodes, [each.edge for each in self.edges])


async def search_graph(
    sources: Sources, namespace: NamespaceScope, request: TopicRequest
) -> TopicNeighbourhood:
    """Return the nodes and relations of a topic; without a graph this costs one short statement.

    Raises InvalidConsistencyToken.
    """
    topic, view = Topic(request.text), request.view
    async with fresh_transaction(sources.database, namespace, request.at_least_as_fresh) as conn:
        if not await store.has_graph(conn, namespace.id):
            return TopicNeighbourhood()
        named = await _find_named(conn, namespace.id, view, topic)
        seeds, told = await _follow_speakers(conn, namespace.id, view, topic, named)
    near = await _find_near(sources, namespace, request)
    async with sources.database.transaction(namespace.id) as conn:
        versions = await store.find_versions(conn, namespace.id, list(near)) if near else {}
        for memory_id, node_id in versions.items():
            seeds[node_id] = max(seeds.get(node_id, 0.0), near[memory_id])
        if not seeds:
            return TopicNeighbourhood()
        starts = sorted(seeds, key=lambda id_: -seeds[id_])
        steps = Steps(request.depth)
        reached = await reach(conn, namespace.id, starts, view, steps, through_anchors=False)
        found = {row.id: (1, row) for row in told} | reached.steps
        rows = [row for _, row in found.values()]
        nodes, edges = await read_ends(conn, namespace.id, view, list(reached.depths), rows)
    depths = {row.id: depth for depth, row in found.values()}
    ranked = await asyncio.to_thread(_rank, topic, seeds, depths, nodes, edges)
    return _only_touched(nodes, seeds, ranked[: request.max_edges])


async def _find_named(
    conn: Connection, namespace_id: int, view: View, topic: Topic
) -> dict[UUID, float]:
    hashes = topic.names()
    rows = await store.find_named(conn, namespace_id, view, hashes, _NAMED) if hashes else []
    return {row.node_id: _NAMED_WEIGHT for row in rows if row.anchor is None}


async def _follow_speakers(
    conn: Connection, namespace_id: int, view: View, topic: Topic, named: Mapping[UUID, float]
) -> tuple[dict[UUID, float], list[StepRow]]:
    """Return the starting nodes with their weights, and the speaker's relations that the query is about.

    In "my sister", the relation's label names the node. Other relations of an anchor are ignored: an anchor is related
    to nearly every node.
    """
    labels = {Anchor.USER: label_hash("user"), Anchor.ME: label_hash("me")}
    seeds, hashes = dict(named), [labels[anchor] for anchor in topic.speakers]
    if not hashes or not topic.telling:
        return seeds, []
    rows = await store.find_named(conn, namespace_id, view, hashes, _NAMED)
    starts = [row.node_id for row in rows if row.anchor is not None]
    if not starts or len(starts) > _ANCHORS * len(hashes):
        return seeds, []
    steps = await store.follow_edges(conn, namespace_id, view, starts, Steps(1, _ANCHOR_FAN_OUT))
    told = [row for row in steps if topic.shared(row.type, row.label)]
    for row in told:
        if row.other_anchor is None:
            seeds.setdefault(row.other_id, _STATED_WEIGHT)
    return seeds, told


async def _find_near(
    sources: Sources, namespace: NamespaceScope, request: TopicRequest
) -> dict[UUID, float]:
    """Return node memories near the query's meaning with their cosines; empty without an embedder."""
    view = request.view
    search = SearchRequest(
        text=request.text,
        mode=SearchMode.SEMANTIC,
        filter=MemoryFilter(
            kinds=[MemoryKind.NODE],
            agents=view.agents,
            subjects=view.subjects,
            known_at=view.known_at,
        ),
        page=PageRequest(_NEAR),
        operators=False,
        with_relations=False,
    )
    try:
        response, _ = await find_memories(sources, namespace, search)
    except EmbedderUnavailable:
        return {}
    return {
        each.memory.id: each.hit.parts[0].raw
        for each in response.results
        if each.hit.parts[0].raw >= LEAST_COSINE
    }


def _rank(
    topic: Topic,
    seeds: Mapping[UUID, float],
    depths: Mapping[UUID, int],
    nodes: Sequence[NodeView],
    edges: Sequence[EdgeView],
) -> list[RankedEdge]:
    """Return relations, heaviest for the topic first.

    `depths` has the distance of each relation in steps.
    """
    weights, ranked = dict(seeds), list[RankedEdge]()
    for edge in sorted(edges, key=lambda each: depths[each.id]):
        ends = (edge.from_id, edge.to_id)
        near = max((weights.get(id_, 0.0) for id_ in ends), default=0.0)
        for id_ in ends:
            weights.setdefault(id_, near * _STEP)
        others = [
            label
            for id_, label in zip(ends, (edge.from_label, edge.to_label), strict=True)
            if id_ not in seeds
        ]
        shared = min(_MOST_SHARED, topic.shared(edge.type, edge.label, *others))
        both = edge.from_id != edge.to_id and all(id_ in seeds for id_ in ends)
        weight = near + _SHARED * shared + _BOTH * both + _SURE * edge.confidence
        ranked.append(RankedEdge(edge, weight))
    return sorted(ranked, key=lambda each: each.weight, reverse=True)


def _only_touched(
    nodes: Sequence[NodeView], seeds: Mapping[UUID, float], ranked: Sequence[RankedEdge]
) -> TopicNeighbourhood:
    """Return the relations, with the nodes that they connect and the starting nodes."""
    ends = {id_ for each in ranked for id_ in (each.edge.from_id, each.edge.to_id)}
    return TopicNeighbourhood(
        [node for node in nodes if node.id in ends or node.id in seeds], ranked
    )


@dataclass(frozen=True)
class TopicRequest:
    """A topic to look up in the graph."""

    text: str
    view: View
    depth: int = DEFAULT_DEPTH
    max_edges: int = DEFAULT_EDGES
    at_least_as_fresh: str = ""

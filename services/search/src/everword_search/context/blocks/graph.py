"""The graph block: relations of the query's topic, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from everword_search.context.blocks.model import BlockKind, BlockRequest
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.graph.model import View
from everword_search.graph_search.search_graph import RankedEdge, TopicRequest, search_graph
from everword_search.records.model import MemoryFilter

#: Maximum relations in a context, and the minimum weight of a relation for the topic.
_MOST, _LEAST_WEIGHT = 12, 0.4
#: Filters that exclude the graph, because relations have no such field.
_OTHER = (
    *("conversation_ids", "in_conversation", "included_memory_ids"),
    *("channels", "instances", "authors", "roles", "tags"),
)


async def find_relations(block_request: BlockRequest) -> Sequence[ContextCandidate]:
    """Return relations of the query's topic, heaviest first; empty if none is heavy enough."""
    requested = block_request.filter
    if not block_request.text or not _filter_allows_graph(requested):
        return []
    view = View(requested.agents, requested.subjects, requested.valid_at, requested.known_at)
    topic = TopicRequest(
        block_request.text,
        view,
        max_edges=_MOST,
        at_least_as_fresh=block_request.request.at_least_as_fresh,
    )
    found = await search_graph(block_request.sources, block_request.namespace, topic)
    zone = ZoneInfo(block_request.start.settings.time_zone)
    return [
        _candidate(each, place, zone)
        for place, each in enumerate(found.edges)
        if each.weight >= _LEAST_WEIGHT
    ]


def _candidate(ranked: RankedEdge, place: int, zone: ZoneInfo) -> ContextCandidate:
    edge = ranked.edge
    told = ((edge.message_id, edge.quote),) if edge.message_id and edge.quote else ()
    return ContextCandidate("relation", edge.text(zone), place=place, source_messages=told)


def _filter_allows_graph(memory_filter: MemoryFilter) -> bool:
    return all(getattr(memory_filter, field) is None for field in _OTHER)


GRAPH = BlockKind(BlockSource.GRAPH, 0.1, find_relations, lambda present: present.graph)

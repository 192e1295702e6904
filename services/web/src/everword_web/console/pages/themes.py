"""Themes of memories, with the most typical memories of each."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from everword.v1 import fact_query_service_pb2 as pb
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as search
from everword_web.console.visits import Visit

#: Memories of each theme in the list; with 20 themes they fit into one call.
_SHOWN = 3


async def list_themes(visit: Visit) -> Response:
    """Show themes, the largest first, with some memories of each."""
    listed = await visit.call(visit.client.fact_query_service.ListThemes, pb.ListThemesRequest())
    ids = [id_ for theme in listed.themes for id_ in theme.memory_ids[:_SHOWN]]
    memories = await _read(visit, ids)
    return visit.page("themes.html", themes=listed.themes, memories=memories, shown=_SHOWN)


async def theme(visit: Visit) -> Response:
    """Show a theme with all memories that are typical of it, as long as it is one of last night's."""
    listed = await visit.call(visit.client.fact_query_service.ListThemes, pb.ListThemesRequest())
    for each in listed.themes:
        if each.id == visit.id:
            memories = await _read(visit, each.memory_ids)
            return visit.page("theme.html", theme=each, memories=memories)
    said = ["This theme is not among those of last night: they are made again each night."]
    return visit.page("error.html", 404, title="Not here", said=said, error=None)


async def _read(visit: Visit, ids: Sequence[str]) -> dict[str, memory_pb2.Memory]:
    """Return memories by id, without deleted ones."""
    if not ids:
        return {}
    request = search.BatchGetMemoriesRequest(memory_ids=list(dict.fromkeys(ids)))
    found = await visit.call(visit.client.search_service.BatchGetMemories, request)
    return {memory.id: memory for memory in found.memories}

"""Summaries, and the sources of each."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from everword.v1 import search_service_pb2 as pb
from everword_web.console.visits import Visit

_PAGE_SIZE = 100
_CONTENT_CHARS = 1200


async def summary(visit: Visit) -> Response:
    """Show a whole summary and its direct sources."""
    found, below_it = await asyncio.gather(
        visit.call(
            visit.client.search_service.GetMemory,
            pb.GetMemoryRequest(memory_id=visit.id, include_unindexed=True),
        ),
        _expand(visit),
    )
    return visit.page("summary.html", summary=found.summary, below=below_it)


async def below(visit: Visit) -> Response:
    """Show the direct sources of a summary, as a part of a page."""
    return visit.page("below.html", id=visit.id, below=await _expand(visit))


async def _expand(visit: Visit) -> pb.ExpandSummaryResponse:
    request = pb.ExpandSummaryRequest(
        summary_id=visit.id,
        limits=pb.ExpansionLimits(depth=1, max_content_chars=_CONTENT_CHARS),
        page_size=_PAGE_SIZE,
        page_token=visit.values.text("page"),
    )
    answer: pb.ExpandSummaryResponse = await visit.call(
        visit.client.search_service.ExpandSummary, request
    )
    return answer

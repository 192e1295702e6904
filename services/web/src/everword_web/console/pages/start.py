"""The first page: how memory is doing."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from everword.v1 import search_service_pb2 as pb
from everword_web.console.visits import Visit


async def overview(visit: Visit) -> Response:
    """Show problems, totals, and the latest conversations."""
    service = visit.client.search_service
    stats, latest = await asyncio.gather(
        visit.call(service.GetStats, pb.GetStatsRequest()),
        visit.call(service.ListConversations, pb.ListConversationsRequest(page_size=8)),
    )
    return visit.page("overview.html", stats=stats, conversations=latest.conversations)

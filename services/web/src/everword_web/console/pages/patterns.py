"""Patterns: what agents do with a thing each time, and how far that is trusted."""

from __future__ import annotations

from starlette.responses import Response

from everword.v1 import pattern_service_pb2 as pb
from everword_web.console.visits import Visit


async def list_patterns(visit: Visit) -> Response:
    """Show patterns, the most trusted first."""
    values = visit.values
    request = pb.ListPatternsRequest(
        entity=values.text("entity"),
        type=values.text("type"),
        category=values.text("category"),
        page_token=values.text("page"),
    )
    listed = await visit.call(visit.client.pattern_service.ListPatterns, request)
    return visit.page("patterns.html", listed=listed, values=values)


async def pattern(visit: Visit) -> Response:
    """Show a pattern, the basis of its confidence, and the decisions made by it."""
    request = pb.ExplainPatternRequest(pattern_id=visit.id)
    why = await visit.call(visit.client.pattern_service.ExplainPattern, request)
    return visit.page("pattern.html", pattern=why.pattern, why=why)

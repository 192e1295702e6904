"""Summaries among results: marked for review, and expanded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from everword.db.pool import Connection
from everword.v1.memory_pb2 import MEMORY_KIND_SUMMARY
from everword_search.retrieval.model import SearchRequest, SearchResult
from everword_search.summaries import store
from everword_search.summaries.expand_summary import expand_all
from everword_search.summaries.model import ExpandMode

#: Summaries that `ExpandMode.TOP` expands.
TOP = 3


async def with_summaries(
    conn: Connection,
    namespace_id: int,
    results: Sequence[SearchResult],
    request: SearchRequest,
    is_first_page: bool,
) -> list[SearchResult]:
    """Return the results with what needs review marked, and with those summaries expanded that the request asks for."""
    found = [result.memory.id for result in results if result.memory.kind == MEMORY_KIND_SUMMARY]
    if not found:
        return list(results)
    marks = await store.read_marks(conn, namespace_id, found)
    wanted = _expanded(found, request.expand, is_first_page)
    limits = request.expansion_limits
    expansions = await expand_all(conn, namespace_id, wanted, limits) if wanted else {}
    return [
        replace(
            result,
            needs_review=marks[id_].needs_review,
            is_of_period=marks[id_].is_of_period,
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

"""Search for memories that may go into a prompt, without summaries that need review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everword.domain.caller import NamespaceScope
from everword_search.retrieval.arms.base import ArmReport, ArmState
from everword_search.retrieval.model import SearchRequest, SearchResult, Verdict
from everword_search.retrieval.search import find_memories
from everword_search.retrieval.sources import Sources

#: Maximum pages read; if many results need review, fewer memories than requested are returned.
MAX_PAGES = 3


@dataclass(frozen=True)
class ReliableResults:
    """Search results that may go into a prompt."""

    #: Best first.
    results: list[SearchResult]
    verdict: Verdict
    #: Arms that failed.
    degraded: Sequence[ArmReport] = ()


async def find_reliable(
    sources: Sources, namespace: NamespaceScope, request: SearchRequest
) -> ReliableResults:
    """Return a page of results without summaries that need review; later results take their places.

    Raises the errors of `find_memories`.
    """
    response, _ = await find_memories(sources, namespace, request)
    results = _reliable(response.results)
    requested = len(response.results)
    verdict = response.verdict
    degraded = [each for each in response.arms if each.state is ArmState.DEGRADED]
    for _ in range(MAX_PAGES - 1):
        if len(results) >= requested or not response.next_page_token:
            break
        page = replace(request.page, token=response.next_page_token)
        response, _ = await find_memories(sources, namespace, replace(request, page=page))
        results += _reliable(response.results)
    return ReliableResults(results[:requested], verdict, degraded)


def _reliable(results: list[SearchResult]) -> list[SearchResult]:
    return [result for result in results if not result.needs_review]

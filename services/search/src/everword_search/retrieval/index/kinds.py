"""The treatment of memories of a kind, beyond finding, ranking and showing them as those of any other.

A new kind needs nothing here, unless its memories stand for others or come with something of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from everword.db.pool import Connection
from everword.v1.memory_pb2 import (
    MEMORY_KIND_MESSAGE,
    MEMORY_KIND_NODE,
    MEMORY_KIND_SUMMARY,
    MEMORY_KIND_TOPIC,
)
from everword_search.graph.in_results import with_relations
from everword_search.retrieval.model import SearchRequest, SearchResult
from everword_search.summaries.in_results import with_summaries

#: What is said in turn: others that were said around it are ranked with it.
TURN = MEMORY_KIND_MESSAGE
#: Kinds whose memories stand for others, which are there as well: on top of a page, so that none is pushed off by them.
STANDING_FOR_OTHERS = (MEMORY_KIND_SUMMARY, MEMORY_KIND_TOPIC)


class Completion(Protocol):
    """Returns results with what those of a kind among them come with."""

    async def __call__(
        self,
        conn: Connection,
        namespace_id: int,
        results: Sequence[SearchResult],
        request: SearchRequest,
        is_first_page: bool,
    ) -> list[SearchResult]: ...


#: By kind.
COMPLETIONS: dict[int, Completion] = {
    MEMORY_KIND_SUMMARY: with_summaries,
    MEMORY_KIND_NODE: with_relations,
}


def completions_of(results: Sequence[SearchResult]) -> list[Completion]:
    """Return what completes these results, in no more statements than their kinds take."""
    kinds = {result.memory.kind for result in results}
    return [completion for kind, completion in COMPLETIONS.items() if kind in kinds]

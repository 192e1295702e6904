"""The conversation's own memories before those of other conversations. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import MemoryRecord
from everword_search.context.relevance_floor import repeats
from everword_search.retrieval.model import SearchResult

#: A conversation knows enough about a query if one of its memories is at least this relevant. Other conversations then
#: contribute only memories with at least this share of that relevance.
ENOUGH, ADDS_SHARE = 0.5, 0.5
_OF_CONVERSATIONS = (MemoryKind.MESSAGE, MemoryKind.SUMMARY)


def prefer_own(
    results: Sequence[SearchResult], conversation_id: UUID, query: str = ""
) -> list[SearchResult]:
    """Return results with those of the conversation first, if it knows enough; the order is otherwise unchanged.

    Messages and summaries of other conversations that add little are left out then; all other memories remain.
    """
    own = [
        each.relevance or 0.0
        for each in results
        if _is_of(each.memory, conversation_id) and not repeats(each, query)
    ]
    best = max(own, default=0.0)
    if best < ENOUGH:
        return list(results)

    def is_relevant(result: SearchResult) -> bool:
        return (result.relevance or 0.0) >= ADDS_SHARE * best

    kept = [
        each
        for each in results
        if not _is_foreign(each.memory, conversation_id) or is_relevant(each)
    ]
    return sorted(
        kept, key=lambda each: not (is_relevant(each) and _is_of(each.memory, conversation_id))
    )


def _is_of(memory: MemoryRecord, conversation_id: UUID) -> bool:
    return memory.conversation_id == conversation_id


def _is_foreign(memory: MemoryRecord, conversation_id: UUID) -> bool:
    """Return whether a memory is a message of another conversation, or its summary."""
    is_of_any = memory.conversation_id is not None and memory.kind in _OF_CONVERSATIONS
    return is_of_any and not _is_of(memory, conversation_id)

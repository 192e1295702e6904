"""The documents block: chunks relevant to the query, and the daily logs of today and yesterday.

    ## Documents
    [1] Handbook › Deployment › Rollback: Run `revert-release` within an hour.

Documents are searched for every context. The block shows at most five chunks, first as excerpts around the matching
words, which grow if tokens are left; further chunks may still appear as memories.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from everword.db.pool import STATEMENT_CAP_S
from everword.domain.deadline import remaining
from everword.domain.documents import display_path
from everword.domain.memory_kinds import MemoryKind
from everword.domain.periods import Calendar
from everword.domain.records import MemoryRecord
from everword.rpc.pages import PageRequest
from everword_search.context.block_queue import BlockGroup
from everword_search.context.blocks.model import BlockKind, BlockRequest
from everword_search.context.memories import CHARS_A_TOKEN
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.passages.as_of import find_as_of
from everword_search.passages.store import Scope, find_log_entries
from everword_search.records.model import MemoryFilter, max_parts
from everword_search.records.store import read_memories, use_generic_plans
from everword_search.retrieval.arms.base import SearchArm
from everword_search.retrieval.full_text import FullText
from everword_search.retrieval.model import SearchRequest, SearchResult, Verdict
from everword_search.retrieval.search import find_memories

#: Maximum document chunks in a context.
MOST_CHUNKS = 5
#: Minimum cosine with the query for chunks with a vector, and minimum relevance as a share of the best chunk's.
LEAST_COSINE, LEAST_SHARE = 0.3, 0.3
#: Minimum cosine if the search found nothing relevant: its relevance model was trained on conversations and may err.
CONFIDENT_COSINE = 0.45
#: Shares of the budget for chunks and for daily logs, while others compete for it.
CHUNKS_SHARE, LOGS_SHARE = 0.25, 0.1
_LOGS = BlockGroup("logs", LOGS_SHARE)
#: Search results examined; more than are shown, since workspace files may be among them.
_CHECKED = 2 * MOST_CHUNKS
#: Characters read of each chunk.
_READ_CHARS = 4_000
#: Maximum log entries read, and characters of each.
_ENTRIES, _CHARS = 200, 8_000


async def find_documents(block_request: BlockRequest) -> list[ContextCandidate]:
    """Return relevant chunks, best first, followed by entries of daily logs, newest first."""
    entries, chunks = await asyncio.gather(find_entries(block_request), find_chunks(block_request))
    return [*chunks, *entries]


async def find_chunks(block_request: BlockRequest) -> list[ContextCandidate]:
    """Return the document chunks that are relevant to the query, best first."""
    requested = _of_chunks(block_request.filter)
    there = block_request.start.present.documents
    if not (there and block_request.text and requested) or block_request.request.max_memories == 0:
        return []
    search = SearchRequest(
        text=block_request.text,
        filter=requested,
        page=PageRequest(_CHECKED),
        at_least_as_fresh=block_request.request.at_least_as_fresh,
        max_content_chars=_READ_CHARS,
        operators=bool(block_request.request.query.strip()),
        with_relations=False,
        section_chars=CHARS_A_TOKEN * block_request.request.token_budget,
    )
    # Messages tell of events, documents rarely do.
    found, _ = await find_memories(
        block_request.sources, block_request.namespace, search, with_events=False
    )
    is_nothing = found.verdict is Verdict.NOTHING_RELEVANT
    least = max(
        block_request.request.min_relevance,
        LEAST_SHARE * max(map(_relevance, found.results), default=0.0),
    )
    chunks = [
        each
        for each in found.results
        if _relevance(each) >= least
        and _is_semantically_near(each, is_nothing)
        and not each.memory.of_workspace
    ]
    return [_candidate(each) for each in chunks[:MOST_CHUNKS]]


def _of_chunks(memory_filter: MemoryFilter) -> MemoryFilter | None:
    """Return the filter restricted to chunks; None if it excludes all chunks."""
    allows_chunks = memory_filter.allows_kind(MemoryKind.CHUNK)
    return replace(memory_filter, kinds=[MemoryKind.CHUNK]) if allows_chunks else None


def _relevance(result: SearchResult) -> float:
    return result.hit.score if result.relevance is None else result.relevance


def _is_semantically_near(result: SearchResult, is_nothing: bool) -> bool:
    """Return whether a chunk is near enough in meaning; a chunk without a vector passes by its words.

    If the search found nothing relevant, the chunk must be nearer, and words do not suffice.
    """
    cosines = [part.raw for part in result.hit.parts if part.arm is SearchArm.SEMANTIC]
    least = CONFIDENT_COSINE if is_nothing else LEAST_COSINE
    return max(cosines) >= least if cosines else not is_nothing


def _candidate(result: SearchResult) -> ContextCandidate:
    memory = result.memory
    return ContextCandidate(
        display_path(memory.document_title, memory.headings),
        result.passage,
        memory.id,
        score=_relevance(result),
        relevance=result.relevance,
        about=memory,
        full=result.full,
    )


async def find_entries(block_request: BlockRequest) -> list[ContextCandidate]:
    """Return log entries of today and yesterday in the namespace's calendar, newest first. Raises MemoryNotFound."""
    settings = block_request.start.settings
    today = Calendar(settings.time_zone, settings.day_cutoff_minutes).day_of(datetime.now(UTC))
    namespace = block_request.namespace
    filter_ = await find_as_of(block_request.sources.database, namespace, block_request.filter)
    async with block_request.sources.database.transaction(namespace.id) as conn:
        await use_generic_plans(conn, remaining(STATEMENT_CAP_S))
        scope = Scope(namespace.id, filter_)
        places = await find_log_entries(conn, scope, today - timedelta(days=1), _ENTRIES)
        if not places:
            return []
        ids = [place.source_id for place in places]
        entries = await read_memories(
            conn, namespace.id, ids, max_chars=_CHARS, max_parts=max_parts(_CHARS)
        )
    return [_log_candidate(entry) for entry in entries]


def _log_candidate(entry: MemoryRecord) -> ContextCandidate:
    label = f"daily log, {entry.author}" if entry.author else "daily log"
    full = FullText.of_beginning(entry.content, entry.content_truncated)
    return ContextCandidate(
        label,
        entry.content,
        entry.id,
        entry.occurred_at,
        full=full,
        group=_LOGS.name,
    )


DOCUMENTS = BlockKind(
    BlockSource.DOCUMENTS,
    CHUNKS_SHARE,
    find_documents,
    lambda present: present.documents or present.logs,
    groups=(_LOGS,),
)

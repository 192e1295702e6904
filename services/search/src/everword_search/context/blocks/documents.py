"""The documents block: chunks relevant to the query, and the daily logs of today and yesterday.

    ## Documents
    [1] Handbook › Deployment › Rollback: Run `revert-release` within an hour.

Documents are searched for every context. The block shows at most five chunks, each as an excerpt around the matching
words; further chunks may still appear as memories.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from everword.db.pool import STATEMENT_CAP_S
from everword.domain.deadline import remaining
from everword.domain.documents import display_path
from everword.domain.memory_kinds import MemoryKind
from everword.domain.periods import Calendar
from everword.domain.records import MemoryRecord
from everword.rpc.pages import PageRequest
from everword_search.context.blocks.model import BlockKind, BlockRequest
from everword_search.context.budget import BudgetedBlock
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.passages.as_of import find_as_of
from everword_search.passages.store import Scope, find_log_entries
from everword_search.records.model import MemoryFilter, max_parts
from everword_search.records.store import read_memories, use_generic_plans
from everword_search.retrieval.arms.base import SearchArm
from everword_search.retrieval.model import SearchRequest, SearchResult, Verdict
from everword_search.retrieval.search import find_memories

#: Maximum document chunks in a context, and maximum tokens of these together.
MOST_CHUNKS, MOST_TOKENS = 5, 1_500
#: Minimum cosine with the query for chunks with a vector, and minimum relevance as a share of the best chunk's.
LEAST_COSINE, LEAST_SHARE = 0.3, 0.3
#: Minimum cosine if the search found nothing relevant: its relevance model was trained on conversations and may err.
CONFIDENT_COSINE = 0.45
#: Shares of the budget for chunks and for daily logs; neither may use the other's.
CHUNKS_SHARE, LOGS_SHARE = 0.25, 0.1
#: Search results examined; more than are shown, since workspace files may be among them.
_CHECKED = 2 * MOST_CHUNKS
#: Characters read of each chunk, and characters shown around the matching words.
_READ_CHARS, _DISPLAYED_CHARS = 4_000, 800
#: Maximum log entries read, and characters of each; an entry longer than the share is not shown.
_ENTRIES, _CHARS = 50, 4000


async def find_documents(block_request: BlockRequest) -> list[ContextCandidate]:
    """Return relevant chunks, best first, followed by entries of daily logs, newest first."""
    entries, chunks = await asyncio.gather(find_entries(block_request), find_chunks(block_request))
    budget = block_request.request.token_budget
    limit = min(MOST_TOKENS, int(budget * CHUNKS_SHARE))
    return [
        *_within(block_request, chunks, limit),
        *_within(block_request, entries, int(budget * LOGS_SHARE)),
    ]


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
    )
    found, _ = await find_memories(block_request.sources, block_request.namespace, search)
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
    words = excerpt(memory.content, result.passage, _DISPLAYED_CHARS)
    if memory.content_truncated and not words.endswith("…"):
        words = f"{words} …"
    return ContextCandidate(
        display_path(memory.document_title, memory.headings),
        words,
        memory.id,
        score=_relevance(result),
        relevance=result.relevance,
        about=memory,
    )


def excerpt(content: str, passage: str, chars: int) -> str:
    """Return an excerpt of about `chars` characters around a passage, cut between words."""
    at = content.find(passage)
    if len(content) <= chars or at < 0:
        return content if at >= 0 else passage
    spare = max(0, chars - len(passage)) // 2
    start, end = max(0, at - spare), min(len(content), at + len(passage) + spare)
    if start:
        space = content.find(" ", start, at)
        start = space + 1 if space >= 0 else at
    if end < len(content):
        space = content.rfind(" ", at + len(passage), end)
        end = space if space >= 0 else at + len(passage)
    before, after = "… " if start else "", " …" if end < len(content) else ""
    return f"{before}{content[start:end].strip()}{after}"


def _within(
    block_request: BlockRequest, candidates: Sequence[ContextCandidate], limit: int
) -> list[ContextCandidate]:
    """Return the candidates that fit into `limit` tokens together, skipping those that do not."""
    block, retained = (
        BudgetedBlock(BlockSource.DOCUMENTS, block_request.layout),
        list[ContextCandidate](),
    )
    for candidate in candidates:
        item = block_request.layout.candidate(candidate)
        if block.tokens + block.cost(item) <= limit:
            block.add(item)
            retained.append(candidate)
    return retained


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
    words = f"{entry.content} …" if entry.content_truncated else entry.content
    return ContextCandidate(label, words, entry.id, entry.occurred_at)


DOCUMENTS = BlockKind(
    BlockSource.DOCUMENTS,
    CHUNKS_SHARE + LOGS_SHARE,
    find_documents,
    lambda present: present.documents or present.logs,
)

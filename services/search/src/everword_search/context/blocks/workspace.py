"""The workspace block: files on the agent, the user, the agent's memory, and current instructions.

    ## Base
    [1] SOUL: Warm, brief, honest.
    [2] USER › Work: Ana runs the shop.
    [3] MEMORY › 2026-05-02: The supplier's name is Ito.
    [4] BOOT: Greet the user, and read yesterday's log.

The files are those of the namespace, of the conversation's agent and subject, and of the conversation itself.
"""

from __future__ import annotations

from dataclasses import replace

from everword.db.pool import STATEMENT_CAP_S
from everword.domain.deadline import remaining
from everword.domain.documents import display_path
from everword.domain.records import MemoryRecord
from everword_search.context.block_queue import BlockGroup
from everword_search.context.blocks.model import BlockKind, BlockRequest
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.passages.as_of import find_as_of
from everword_search.passages.store import Scope, find_workspace_chunks
from everword_search.records.model import MemoryFilter, max_parts
from everword_search.records.store import read_memories, use_generic_plans
from everword_search.retrieval.full_text import FullText

#: Shares of the budget while others compete for it. MEMORY does not come before memories, because a search can also
#: find its parts.
_FILES = BlockGroup("files", 0.2, precedes=True)
_MEMORY, _MEMORY_SHARE = "MEMORY", 0.1
#: Files shown, in the order of layers: identity, narrative, focus. HEARTBEAT is not shown, because its runner reads it.
_SHOWN = ("SOUL", "IDENTITY", "USER", "AGENTS", "TOOLS", _MEMORY, "BOOT")
#: Files by importance, if not all fit: MEMORY is last, because a search can also find its parts.
_IMPORTANCE = ("SOUL", "IDENTITY", "USER", "AGENTS", "TOOLS", "BOOT", _MEMORY)
#: Tokens of the budget per chunk read, extra chunks, and the maximum number of chunks of a file.
_TOKENS_A_PART, _SPARE, _MOST = 25, 8, 200
_CHARS = 4_000
#: Difference between the scores of two files; the nearness to the query adds at most 1.
_BETWEEN_FILES = 2.0


async def find_files(block_request: BlockRequest) -> list[ContextCandidate]:
    """Return the chunks of the files, most important first. Raises MemoryNotFound."""
    namespace = block_request.namespace
    filter_ = await find_as_of(block_request.sources.database, namespace, _filter(block_request))
    most = min(_MOST, block_request.request.token_budget // _TOKENS_A_PART + _SPARE)
    record = block_request.record
    async with block_request.sources.database.transaction(namespace.id) as conn:
        await use_generic_plans(conn, remaining(STATEMENT_CAP_S))
        scope = Scope(namespace.id, filter_)
        places = await find_workspace_chunks(
            conn, scope, _SHOWN, most, record.id if record else None
        )
        if not places:
            return []
        ids = [place.source_id for place in places]
        parts = await read_memories(
            conn, namespace.id, ids, max_chars=_CHARS, max_parts=max_parts(_CHARS)
        )
    # Chunks come file by file, in the order of each file.
    return [_candidate(part, place) for place, part in enumerate(parts)]


def _filter(block_request: BlockRequest) -> MemoryFilter:
    """Return the filter for the files that the context may show.

    Without a conversation, agents and subjects that the request does not name mean files without any.
    """
    requested = block_request.filter
    if block_request.record is not None:
        # The files are those of the conversation's agent, whatever memories the filter admits.
        own = block_request.record
        return replace(
            requested, agents=sorted({own.agent, ""}), subjects=sorted({own.subject, ""})
        )
    return replace(
        requested,
        agents=[""] if requested.agents is None else requested.agents,
        subjects=[""] if requested.subjects is None else requested.subjects,
    )


def _candidate(part: MemoryRecord, place: int) -> ContextCandidate:
    name = part.document_title
    importance = _BETWEEN_FILES * (len(_IMPORTANCE) - _IMPORTANCE.index(name))
    # The latest entries of MEMORY are at its end; in other files, the most important chunks come first.
    order = place if name == _MEMORY else -place
    return ContextCandidate(
        display_path(name, part.headings),
        part.content,
        part.id,
        place=place,
        score=importance + order / 10_000,
        about=part,
        full=FullText.of_beginning(part.content, part.content_truncated),
        group="" if name == _MEMORY else _FILES.name,
    )


WORKSPACE = BlockKind(
    BlockSource.BASE,
    _MEMORY_SHARE,
    find_files,
    lambda present: present.files,
    verbatim=True,
    groups=(_FILES,),
)

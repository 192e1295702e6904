"""The daily logs of today and yesterday: what the agent wrote down of its days, the newest first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from everword.db.pool import STATEMENT_CAP_S
from everword.domain.deadline import remaining
from everword.domain.periods import Calendar
from everword.domain.records import MemoryRecord
from everword_search.context.blocks.model import Asked, BlockKind
from everword_search.context.model import BlockSource, Candidate
from everword_search.records.pages import max_parts
from everword_search.records.store import read_memories
from everword_search.retrieval.index.as_of import find_as_of
from everword_search.retrieval.index.query_plans import use_generic_plans
from everword_search.retrieval.index.store import Scope, find_log_entries

#: Entries that are looked at, and how much of each: what is longer than all of the share is not shown.
_ENTRIES, _CHARS = 50, 4000


async def find_entries(asked: Asked) -> list[Candidate]:
    """Return the entries of today and yesterday, by the namespace's days, newest first. Raises MemoryNotFound."""
    settings = asked.start.settings
    today = Calendar(settings.time_zone, settings.day_cutoff_minutes).day_of(datetime.now(UTC))
    namespace = asked.namespace
    filter_ = await find_as_of(asked.sources.database, namespace, asked.filter)
    async with asked.sources.database.transaction(namespace.id) as conn:
        await use_generic_plans(conn, remaining(STATEMENT_CAP_S))
        scope = Scope(namespace.id, filter_)
        places = await find_log_entries(conn, scope, today - timedelta(days=1), _ENTRIES)
        if not places:
            return []
        ids = [place.source_id for place in places]
        entries = await read_memories(
            conn, namespace.id, ids, max_chars=_CHARS, max_parts=max_parts(_CHARS)
        )
    return [_candidate(entry) for entry in entries]


def _candidate(entry: MemoryRecord) -> Candidate:
    label = f"daily log, {entry.author}" if entry.author else "daily log"
    words = f"{entry.content} …" if entry.content_truncated else entry.content
    return Candidate(label, words, entry.id, entry.occurred_at)


#: Documents will stand beside them.
DAILY_LOG = BlockKind(
    BlockSource.DOCUMENTS, share=0.1, find=find_entries, is_possible=lambda present: present.logs
)

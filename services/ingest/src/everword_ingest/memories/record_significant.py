"""Record a significant memory, which calendar summaries never consolidate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.ids import new_id
from everword.domain.memory_kinds import MemoryKind
from everword.domain.periods import Calendar
from everword.domain.tokens import ConsistencyToken
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedPassage, IndexedSource
from everword.index.writer import Counts, add_passages, vectors_job
from everword.jobs.enqueue import enqueue
from everword.rpc.long_work import run_in_thread
from everword_ingest.memories import store
from everword_ingest.request_ids.claims import claim_request, highest_passage

#: Longest text that is analysed on the event loop; longer ones are analysed in a thread.
_FEW_CHARS = 10_000
#: Length of the text's beginning that serves as title if there is none.
_FIRST_CHARS = 60
#: At the end of an id, where a name is taken.
_ID_CHARS = 12


@dataclass(frozen=True)
class SignificantMemory:
    """A memory to keep, in the words in which it is to be remembered."""

    content: str
    title: str = ""
    instance: str = ""
    agent: str = ""
    subject: str = ""
    #: The time of the call if None.
    occurred_at: datetime | None = None


@dataclass(frozen=True)
class RecordedMemory:
    """The memory that was written."""

    summary_id: UUID
    consistency_token: ConsistencyToken
    replayed: bool


async def record_significant(
    database: Database,
    namespace: NamespaceScope,
    significant: SignificantMemory,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> RecordedMemory:
    """Store a memory and index it, or find that an equal call did. Raises RequestIdConflict.

    `wake` is called after the commit: there may be work to publish.
    """
    summary_id = new_id()
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(
            conn, namespace.id, request_id, body_hash, message_ids=[summary_id]
        )
        if earlier is None:
            highest = await _write(conn, namespace.id, summary_id, significant)
        else:
            [summary_id] = earlier.message_ids
            highest = await highest_passage(conn, namespace.id, [summary_id])
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    return RecordedMemory(summary_id, token, replayed=earlier is not None)


async def _write(
    conn: Connection, namespace_id: int, summary_id: UUID, significant: SignificantMemory
) -> int:
    """Write the memory and its passages; returns the highest id of a passage."""
    settings = await get_namespace_settings(conn, namespace_id)
    moment = significant.occurred_at or datetime.now(UTC)
    source = IndexedSource(
        summary_id,
        MemoryKind.SUMMARY,
        moment,
        agent=significant.agent,
        subject=significant.subject,
        instance=significant.instance,
    )
    language = Language(settings.text_search_config, settings.time_zone)
    passages = await _build(source, significant.content, language)
    parameters = {
        "namespace_id": namespace_id,
        "id": summary_id,
        "content": significant.content,
        "title": significant.title,
        "instance": significant.instance,
        "agent": significant.agent,
        "subject": significant.subject,
        "occurred_at": moment,
        # As contexts count it: four bytes a token.
        "token_count": len(significant.content.encode()) // 4,
    }
    day = Calendar(settings.time_zone, settings.day_cutoff_minutes).day_of(moment)
    name = _name(significant, day)
    if not await store.insert_significant(conn, {**parameters, "name": name}):
        # Nobody can know the end of an id beforehand.
        name = f"{name} · {str(summary_id)[-_ID_CHARS:]}"
        await store.insert_significant(conn, {**parameters, "name": name})
    await enqueue(conn, [vectors_job(namespace_id, summary_id)])
    asked = await add_passages(conn, namespace_id, passages, Counts())
    [stored] = await asked.rows()
    return stored.highest


def _name(significant: SignificantMemory, day: date) -> str:
    """Return the name: the day, and the title or the beginning of the text, on one line."""
    first_words = " ".join(significant.content[:_FIRST_CHARS].split())
    return (
        f"{day.isoformat()} · {' '.join(significant.title.split()) or first_words or 'significant'}"
    )


async def _build(source: IndexedSource, content: str, language: Language) -> list[IndexedPassage]:
    """Return the passages, without holding the event loop for long."""
    if len(content) <= _FEW_CHARS:
        return list(build_passages(source, content, language))
    return await run_in_thread(lambda: list(build_passages(source, content, language)))

"""Indexing of lorebook entries: a new text replaces the old one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection
from everword.domain.memory_kinds import MemoryKind
from everword.index.builders import Language, build_passages, next_batch
from everword.index.passages import IndexedSource
from everword.index.writer import Counts, replace_passages, vectors_job
from everword.jobs.enqueue import enqueue
from everword.rpc.long_work import run_in_thread
from everword_ingest.lore.model import NewEntry
from everword_ingest.lore.store import LockedBook, get_classes
from everword_ingest.notes.place import find_place


async def index_entries(
    conn: Connection, namespace_id: int, book: LockedBook, entries: Mapping[UUID, NewEntry]
) -> None:
    """Index the text of entries; their earlier text is no longer found."""
    if not entries:
        return
    settings = await get_namespace_settings(conn, namespace_id)
    place = await find_place(conn, namespace_id, book.scope)
    now, classes = datetime.now(UTC), await get_classes(conn, namespace_id, list(entries))
    sources = [
        IndexedSource(
            id_,
            MemoryKind.LORE,
            now,
            conversation_id=book.conversation_id,
            agent=book.agent,
            subject=book.subject,
            channel=place.channel,
            importance_class=classes.get(id_, 0),
        )
        for id_ in entries
    ]
    language = Language(settings.text_search_config, settings.time_zone)

    passages = (
        passage
        for source in sources
        for passage in build_passages(
            source, entries[source.id].content, language, entries[source.id].title
        )
    )
    gone = list(entries)
    batch = await run_in_thread(next_batch, passages)
    while following := await run_in_thread(next_batch, passages):
        # The first portion replaces everything that was indexed of these entries before.
        asked = await replace_passages(conn, namespace_id, gone, batch, Counts())
        await asked.rows()
        batch, gone = following, []
    # Other writers wait for the job's row, so it is locked last.
    await enqueue(conn, [vectors_job(namespace_id, book.id)])
    asked = await replace_passages(conn, namespace_id, gone, batch, Counts())
    await asked.rows()


async def unindex_entries(conn: Connection, namespace_id: int, entry_ids: Sequence[UUID]) -> None:
    """Take entries out of the index."""
    if not entry_ids:
        return
    asked = await replace_passages(conn, namespace_id, list(entry_ids), [], Counts())
    await asked.rows()

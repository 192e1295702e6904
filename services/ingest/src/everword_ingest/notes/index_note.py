"""Indexing of notes: a new text replaces the old one."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection
from everword.domain.memory_kinds import MemoryKind
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedPassage, IndexedSource
from everword.index.writer import Counts, Validity, replace_passages, vectors_job
from everword.jobs.enqueue import enqueue
from everword.rpc.long_work import run_in_thread
from everword.text.author_names import name_words
from everword_ingest.notes import store
from everword_ingest.notes.model import NewNote
from everword_ingest.notes.place import StoredScope

#: Longest text that is analysed on the event loop; longer ones are analysed in a thread.
_FEW_CHARS = 10_000


async def index_note(
    conn: Connection,
    namespace_id: int,
    note_id: UUID,
    place: StoredScope,
    note: NewNote,
    now: datetime,
) -> None:
    """Index the text of a note until it expires; its earlier text is no longer found."""
    settings = await get_namespace_settings(conn, namespace_id)
    source = IndexedSource(
        note_id,
        MemoryKind.NOTE,
        now,
        conversation_id=place.scope.conversation_id,
        agent=place.scope.agent,
        subject=place.scope.subject,
        channel=place.channel,
        author=note.author,
        tags=_tags(note),
        importance_class=await store.get_class(conn, namespace_id, note_id),
    )
    language = Language(settings.text_search_config, settings.time_zone)
    passages = await _build(source, note, language)
    await enqueue(conn, [vectors_job(namespace_id, note_id)])
    asked = await replace_passages(
        conn,
        namespace_id,
        [note_id],
        passages,
        Counts(author_names=sorted(name_words(note.author))),
        Validity(valid_until=note.expires_at),
    )
    await asked.rows()


async def unindex_note(conn: Connection, namespace_id: int, note_id: UUID) -> None:
    """Take a note out of the index."""
    asked = await replace_passages(conn, namespace_id, [note_id], [], Counts())
    await asked.rows()


def _tags(note: NewNote) -> list[str]:
    """Return the labels that filters find a note by: its own, and its kind."""
    return list(dict.fromkeys([*note.tags, *([note.kind] if note.kind else [])]))


async def _build(source: IndexedSource, note: NewNote, language: Language) -> list[IndexedPassage]:
    """Return the passages, without holding the event loop for long."""
    if len(note.content) <= _FEW_CHARS:
        return list(build_passages(source, note.content, language, note.key))
    return await run_in_thread(
        lambda: list(build_passages(source, note.content, language, note.key))
    )

"""Read notes: one, lists, and the history of one."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.rpc.pages import DEFAULT_CONTENT_CHARS, MAX_PAGE_CHARS, PageRequest, open_cursor
from everword_ingest.notes import store
from everword_ingest.notes.model import MAX_CONTENT_BYTES, NoteFilter, NoteKey
from everword_ingest.notes.place import find_note_id, not_found
from everword_ingest.notes.store import NoteRow, NoteVersionRow

#: Versions are returned whole.
DEFAULT_VERSIONS, MAX_VERSIONS = 20, 60


async def get_note(
    database: Database, namespace: NamespaceScope, target: UUID | NoteKey
) -> NoteRow:
    """Return a note as it stands. Raises NoteNotFound and ConversationNotFound."""
    async with database.transaction(namespace.id) as conn:
        note_id = await find_note_id(conn, namespace.id, target)
        found = await store.get_note(conn, namespace.id, note_id)
    if found is None:
        raise not_found(target)
    return found


async def list_notes(
    database: Database,
    namespace: NamespaceScope,
    wanted: NoteFilter,
    max_chars: int,
    page: PageRequest,
) -> tuple[Sequence[NoteRow], str]:
    """Return a page of notes, and the token of the next one. Raises InvalidPageToken."""
    chars = max_chars or DEFAULT_CONTENT_CHARS
    cursor = await open_cursor(database, namespace, "ListNotes", page, item_chars=chars)
    async with database.transaction(namespace.id) as conn:
        found = await store.list_notes(
            conn, namespace.id, wanted, chars, cursor.after_id, cursor.limit
        )
    return cursor.cut(found, lambda last: [str(last.id)])


async def get_note_history(
    database: Database, namespace: NamespaceScope, target: UUID | NoteKey, page: PageRequest
) -> tuple[UUID, Sequence[NoteVersionRow], str]:
    """Return a note's id, a page of its versions, and the token of the next page.

    Raises NoteNotFound, ConversationNotFound and InvalidPageToken.
    """
    assert MAX_VERSIONS * MAX_CONTENT_BYTES <= 4 * MAX_PAGE_CHARS
    cursor = await open_cursor(
        *(database, namespace, "GetNoteHistory", page),
        default=DEFAULT_VERSIONS,
        maximum=MAX_VERSIONS,
    )
    before = int(cursor.after[0]) if cursor.after else None
    async with database.transaction(namespace.id) as conn:
        note_id = await find_note_id(conn, namespace.id, target)
        found = await store.list_versions(conn, namespace.id, note_id, before, cursor.limit)
    if not found and not cursor.after:
        raise not_found(target)
    return note_id, *cursor.cut(found, lambda last: [last.version])

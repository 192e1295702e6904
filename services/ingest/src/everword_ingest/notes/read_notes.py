"""Read notes: one, lists, and the history of one."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import PageTokens
from everword_ingest.notes import store
from everword_ingest.notes.model import MAX_CONTENT_BYTES, NoteFilter, NoteKey, PageRequest
from everword_ingest.notes.place import find_note_id, not_found
from everword_ingest.notes.store import NoteRow, VersionRow

DEFAULT_PAGE, MAX_PAGE = 50, 200
DEFAULT_CONTENT_CHARS = 2000
#: Contents of a page together, at most 4 bytes a character: half of what the transport takes.
_MAX_PAGE_CHARS = 4 * 1024 * 1024
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
    size = min(page.size or DEFAULT_PAGE, MAX_PAGE, max(1, _MAX_PAGE_CHARS // chars))
    tokens = PageTokens(await database.token_secret(), f"ListNotes:{namespace.id}")
    after = tokens.read(page.token, page.request_hash)
    after_id = UUID(after[0]) if after else None
    async with database.transaction(namespace.id) as conn:
        found = await store.list_notes(conn, namespace.id, wanted, chars, after_id, size + 1)
    if len(found) <= size:
        return found, ""
    return found[:size], tokens.issue(page.request_hash, [str(found[size - 1].id)])


async def get_note_history(
    database: Database, namespace: NamespaceScope, target: UUID | NoteKey, page: PageRequest
) -> tuple[UUID, Sequence[VersionRow], str]:
    """Return a note's id, a page of what it was, and the token of the next one.

    Raises NoteNotFound, ConversationNotFound and InvalidPageToken.
    """
    assert MAX_VERSIONS * MAX_CONTENT_BYTES <= 4 * _MAX_PAGE_CHARS
    size = min(page.size or DEFAULT_VERSIONS, MAX_VERSIONS)
    tokens = PageTokens(await database.token_secret(), f"GetNoteHistory:{namespace.id}")
    after = tokens.read(page.token, page.request_hash)
    async with database.transaction(namespace.id) as conn:
        note_id = await find_note_id(conn, namespace.id, target)
        before = int(after[0]) if after else None
        found = await store.list_versions(conn, namespace.id, note_id, before, size + 1)
    if not found and not after:
        raise not_found(target)
    if len(found) <= size:
        return note_id, found, ""
    return note_id, found[:size], tokens.issue(page.request_hash, [found[size - 1].version])

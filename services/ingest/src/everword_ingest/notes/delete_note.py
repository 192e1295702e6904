"""Delete a note: searches no longer find it, and its history keeps its text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ContentErased
from everword.domain.ids import new_id
from everword.domain.tokens import ConsistencyToken
from everword_ingest.notes import store
from everword_ingest.notes.index_note import unindex_note
from everword_ingest.notes.model import DEFAULT_IMPORTANCE, NoteDeletion, WrittenNote
from everword_ingest.notes.place import find_note_id, not_found
from everword_ingest.notes.store import NoteVersionRow
from everword_ingest.notes.write_note import check_version
from everword_ingest.request_ids.claims import claim_request


async def delete_note(
    database: Database, namespace: NamespaceScope, deletion: NoteDeletion, wake: Callable[[], None]
) -> WrittenNote:
    """Delete a note, or find that an equal call did.

    Raises RequestIdConflict, NoteNotFound, ConversationNotFound and NoteVersionConflict.
    """
    version_id = new_id()
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(
            conn, namespace.id, deletion.request_id, deletion.body_hash, message_ids=[version_id]
        )
        if earlier is None:
            await _delete(conn, namespace.id, deletion, version_id)
        else:
            [version_id] = earlier.message_ids
        found = await store.find_version(conn, namespace.id, version_id)
        if found is None:
            raise ContentErased(request_id=deletion.request_id)
    wake()
    token = ConsistencyToken(namespace.id, write.position, 0)
    return WrittenNote(
        found.note_id, found.version, version_id, found.log_date, token, earlier is not None
    )


async def _delete(
    conn: Connection, namespace_id: int, deletion: NoteDeletion, version_id: UUID
) -> None:
    note_id = await find_note_id(conn, namespace_id, deletion.target)
    held = await store.lock_note(conn, namespace_id, note_id)
    now = datetime.now(UTC)
    if held is None or not held.is_current(now):
        raise not_found(deletion.target)
    await check_version(conn, namespace_id, held, deletion.expected_version, now)
    row = NoteVersionRow(
        version_id,
        held.version + 1,
        True,
        "",
        "",
        [],
        DEFAULT_IMPORTANCE,
        deletion.author,
        None,
        now,
    )
    await store.write_version(conn, namespace_id, held.id, row)
    await unindex_note(conn, namespace_id, held.id)

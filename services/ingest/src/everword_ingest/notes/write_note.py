"""Write a note: the new text replaces the old one, which stays in the history only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import (
    ConcurrentUpdate,
    ContentErased,
    InvalidArgument,
    NoteVersionConflict,
)
from everword.domain.ids import new_id
from everword.domain.periods import Calendar
from everword.domain.tokens import ConsistencyToken
from everword_ingest.notes import store
from everword_ingest.notes.index_note import index_note
from everword_ingest.notes.model import (
    DEFAULT_IMPORTANCE,
    MAX_CONTENT_BYTES,
    NewNote,
    NoteKey,
    NoteWrite,
    WrittenNote,
)
from everword_ingest.notes.place import StoredScope, find_place
from everword_ingest.notes.store import LockedNote, NoteVersionRow
from everword_ingest.request_ids.claims import claim_request, highest_passage


async def write_note(
    database: Database, namespace: NamespaceScope, writing: NoteWrite, wake: Callable[[], None]
) -> WrittenNote:
    """Store a version of a note and index it, or find that an equal call did.

    `wake` is called after the commit: there may be work to publish.
    Raises RequestIdConflict, ConversationNotFound, NoteVersionConflict and InvalidArgument.
    """
    version_id = new_id()
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(
            conn, namespace.id, writing.request_id, writing.body_hash, message_ids=[version_id]
        )
        if earlier is None:
            await _write(conn, namespace.id, writing, version_id)
        else:
            [version_id] = earlier.message_ids
        found = await store.find_version(conn, namespace.id, version_id)
        if found is None:
            raise ContentErased(request_id=writing.request_id)
        highest = await highest_passage(conn, namespace.id, [found.note_id])
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    return WrittenNote(
        found.note_id, found.version, version_id, found.log_date, token, earlier is not None
    )


async def _write(conn: Connection, namespace_id: int, writing: NoteWrite, version_id: UUID) -> None:
    place = await find_place(conn, namespace_id, writing.note.scope)
    note = replace(writing.note, scope=place.scope)
    held = await _lock_or_insert_note(conn, namespace_id, note)
    now = datetime.now(UTC)
    if note.expires_at is not None and note.expires_at <= now:
        raise InvalidArgument(violations=(("note.expire_time", "must be in the future"),))
    await check_version(conn, namespace_id, held, writing.expected_version, now)
    if writing.appends and held.is_current(now):
        note = await _appended(conn, namespace_id, held, note)
    row = NoteVersionRow(
        version_id,
        held.version + 1,
        False,
        note.content,
        note.kind,
        list(note.tags),
        note.importance or DEFAULT_IMPORTANCE,
        note.author,
        note.expires_at,
        now,
    )
    await store.write_version(conn, namespace_id, held.id, row)
    await index_note(conn, namespace_id, held.id, StoredScope(note.scope, place.channel), note, now)


async def _lock_or_insert_note(conn: Connection, namespace_id: int, note: NewNote) -> LockedNote:
    """Return the note with a key, locked by this transaction; insert it if there is none. Raises ConcurrentUpdate."""
    key = NoteKey(note.key, note.scope)
    found = await store.find_key(conn, namespace_id, key) if note.key else None
    held = await store.lock_note(conn, namespace_id, found) if found else None
    if held is None:
        # Also if the note was erased while this waited for its lock.
        inserted = new_id()
        # If another writer is inserting the key, this waits for it and inserts nothing.
        await store.insert_note(conn, namespace_id, inserted, key, note.log_date)
        held = await store.lock_note(conn, namespace_id, inserted)
    if held is None:
        found = await store.find_key(conn, namespace_id, key)
        held = await store.lock_note(conn, namespace_id, found) if found else None
    if held is None:
        raise ConcurrentUpdate
    return held


async def check_version(
    conn: Connection, namespace_id: int, held: LockedNote, expected: int | None, now: datetime
) -> None:
    """Raise NoteVersionConflict where a note is not at the version that is expected, 0 for none."""
    current = held.version if held.is_current(now) else 0
    if expected is None or expected == current:
        return
    told: dict[str, object] = {}
    for name, version in (("expected", expected), ("current", current)):
        row = await store.get_version(conn, namespace_id, held.id, version) if version else None
        told |= {f"{name}_version": version, f"{name}_version_id": row.id if row else ""}
    raise NoteVersionConflict("", **told)


async def _appended(
    conn: Connection, namespace_id: int, locked: LockedNote, note: NewNote
) -> NewNote:
    """Return the note with its new text on a line after the existing text. Fields that it does not set stay.

    Raises InvalidArgument.
    """
    there = await store.get_version(conn, namespace_id, locked.id, locked.version)
    assert there is not None
    between = "" if there.content.endswith("\n") else "\n"
    content = f"{there.content}{between}{note.content}"
    if len(content.encode()) > MAX_CONTENT_BYTES:
        text = f"would make the note longer than {MAX_CONTENT_BYTES} bytes"
        raise InvalidArgument(violations=(("note.content", text),))
    return replace(
        note,
        content=content,
        kind=note.kind or there.kind,
        tags=note.tags or there.tags,
        importance=note.importance or there.importance,
        expires_at=note.expires_at or there.expires_at,
    )


async def append_daily_log(
    database: Database, namespace: NamespaceScope, entry: NoteWrite, wake: Callable[[], None]
) -> WrittenNote:
    """Store an entry under the day that it is in the namespace, or find that an equal call did.

    Raises RequestIdConflict and ConversationNotFound.
    """
    async with database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
    day = Calendar(settings.time_zone, settings.day_cutoff_minutes).day_of(datetime.now(UTC))
    dated = replace(entry, note=replace(entry.note, log_date=day))
    return await write_note(database, namespace, dated, wake)

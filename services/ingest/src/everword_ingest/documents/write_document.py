"""Write a document: what it says now takes the place of what it said, which stays in its history alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import DocumentVersionConflict, InvalidArgument
from everword.domain.ids import new_id
from everword.domain.tokens import ConsistencyToken
from everword.index.builders import Language
from everword_ingest.documents import store
from everword_ingest.documents.index_document import Kept, find_kept, index_document
from everword_ingest.documents.model import Change, DocumentKey, SourceFile, Written
from everword_ingest.documents.prepare import Built, Cut, Owner, build_chunks, cut_text
from everword_ingest.documents.store import LockedDocument, NewVersion
from everword_ingest.messages.requests import claim_request
from everword_ingest.notes.place import find_place
from everword_ingest.store import highest_passage


@dataclass(frozen=True)
class Prepared:
    """A text that is ready to be stored, if its document is still as it was when that was done."""

    cut: Cut
    file: SourceFile
    owner: Owner
    built: Built


async def write_document(
    database: Database,
    namespace: NamespaceScope,
    change: Change,
    content: str,
    wake: Callable[[], None],
) -> Written:
    """Store a version of a document and index it, or find that an equal call did.

    `wake` is called after the commit: there may be work to publish.
    Raises RequestIdConflict, ConversationNotFound, DocumentVersionConflict, DocumentUnreadable and InvalidArgument.
    """
    if change.appends:
        return await _store(database, namespace, change, content, None, wake)
    cut = await cut_text(content, change)
    prepared = await prepare(database, namespace, change, cut, SourceFile())
    return await store_document(database, namespace, change, prepared, wake)


async def prepare(
    database: Database, namespace: NamespaceScope, change: Change, cut: Cut, file: SourceFile
) -> Prepared:
    """Build what is new in a text, beside what its document has. Raises ConversationNotFound and InvalidArgument."""
    if len(cut.text.encode()) > change.max_bytes:
        raise _too_long(change)
    async with database.transaction(namespace.id) as conn:
        change, owner = await _owner(conn, namespace.id, change)
        kept = await find_kept(conn, namespace.id, owner.document_id, cut)
    built = await build_chunks(owner, cut, kept.missing)
    return Prepared(cut, file, owner, built)


async def store_document(
    database: Database,
    namespace: NamespaceScope,
    change: Change,
    prepared: Prepared,
    wake: Callable[[], None],
) -> Written:
    """Store what was prepared. Raises as `write_document` does."""
    return await _store(database, namespace, change, "", prepared, wake)


async def _store(
    database: Database,
    namespace: NamespaceScope,
    change: Change,
    added: str,
    prepared: Prepared | None,
    wake: Callable[[], None],
) -> Written:
    version_id = new_id()
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(
            conn, namespace.id, change.request_id, change.body_hash, message_ids=[version_id]
        )
        highest = 0
        if earlier is not None:
            [version_id] = earlier.message_ids
        elif prepared is None:
            highest = await _append(conn, namespace.id, change, added, version_id)
        else:
            highest = await _replace(conn, namespace.id, change, prepared, version_id)
        found = await store.find_version(conn, namespace.id, version_id)
        assert found is not None
        if earlier is not None:
            chunks = await store.list_chunks(conn, namespace.id, found.document_id)
            highest = await highest_passage(conn, namespace.id, [each.id for each in chunks])
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    return Written(
        found.document_id, found.version, version_id, found.chunks, token, earlier is not None
    )


async def _replace(
    conn: Connection, namespace_id: int, change: Change, prepared: Prepared, version_id: UUID
) -> int:
    """Store a text in the place of what is there; returns the highest id of a passage."""
    held = await _hold(conn, namespace_id, prepared.owner)
    await check_version(conn, namespace_id, held, change.expected_version)
    owner = replace(prepared.owner, document_id=held.id)
    kept = await find_kept(conn, namespace_id, held.id, prepared.cut)
    built = prepared.built
    if held.id != prepared.owner.document_id or not kept.missing <= built.ids.keys():
        # Somebody else was faster: what was prepared is of another text, or of no document.
        built = await build_chunks(owner, prepared.cut, kept.missing)
    prepared = replace(prepared, owner=owner, built=built)
    return await _write(conn, namespace_id, held, prepared, kept, version_id)


async def _append(
    conn: Connection, namespace_id: int, change: Change, added: str, version_id: UUID
) -> int:
    """Store what is there and a text after it; returns the highest id of a passage.

    The whole is cut anew while the document is held: nobody else can have changed it.
    """
    change, owner = await _owner(conn, namespace_id, change)
    held = await _hold(conn, namespace_id, owner)
    content = added
    there = await store.get_text(conn, namespace_id, held.id, held.version) if held.stands else None
    if there is not None:
        between = "" if there.content.endswith("\n") else "\n"
        content = f"{there.content}{between}{added}"
        change = replace(change, tags=list(dict.fromkeys([*there.tags, *change.tags])))
    if len(content.encode()) > change.max_bytes:
        raise _too_long(change)
    owner = replace(owner, document_id=held.id, change=change, now=datetime.now(UTC))
    cut = await cut_text(content, change)
    kept = await find_kept(conn, namespace_id, held.id, cut)
    built = await build_chunks(owner, cut, kept.missing)
    prepared = Prepared(cut, SourceFile(), owner, built)
    return await _write(conn, namespace_id, held, prepared, kept, version_id)


async def _write(
    conn: Connection,
    namespace_id: int,
    held: LockedDocument,
    prepared: Prepared,
    kept: Kept,
    version_id: UUID,
) -> int:
    cut, owner, file = prepared.cut, prepared.owner, prepared.file
    change = owner.change
    row = NewVersion(
        version_id,
        held.version + 1,
        False,
        cut.text,
        len(cut.text),
        list(change.tags),
        change.author,
        change.writer,
        file.name,
        file.media_type,
        file.size,
        file.sha256,
        # While the document is held: versions are in the order of their times.
        datetime.now(UTC),
    )
    await store.write_version(conn, namespace_id, held.id, row, len(cut.chunks))
    return await index_document(conn, namespace_id, owner, cut, kept, prepared.built)


async def _owner(conn: Connection, namespace_id: int, change: Change) -> tuple[Change, Owner]:
    """Return a change in the scope where its document is, and what its chunks have in common."""
    place = await find_place(conn, namespace_id, change.key.scope)
    change = replace(change, key=replace(change.key, scope=place.scope))
    settings = await get_namespace_settings(conn, namespace_id)
    language = Language(settings.text_search_config, settings.time_zone)
    found = await store.find_key(conn, namespace_id, change.key)
    return change, Owner(found or new_id(), change, place, language, datetime.now(UTC))


async def _hold(conn: Connection, namespace_id: int, owner: Owner) -> LockedDocument:
    """Return a document, held by this transaction, and make it first where there is none."""
    key: DocumentKey = owner.change.key
    held = await store.lock_document(conn, namespace_id, owner.document_id)
    if held is None:
        # Where another writer is faster, this waits for it and makes nothing.
        await store.insert_document(conn, namespace_id, owner.document_id, key)
        found = await store.find_key(conn, namespace_id, key)
        held = await store.lock_document(conn, namespace_id, found) if found else None
    assert held is not None
    return held


async def check_version(
    conn: Connection, namespace_id: int, held: LockedDocument, expected: int | None
) -> None:
    """Raise DocumentVersionConflict where a document is not at the version that is expected, 0 for none."""
    current = held.version if held.stands else 0
    if expected is None or expected == current:
        return
    told: dict[str, object] = {}
    for name, version in (("expected", expected), ("current", current)):
        id_ = await store.get_version_id(conn, namespace_id, held.id, version) if version else None
        told |= {f"{name}_version": version, f"{name}_version_id": id_ or ""}
    raise DocumentVersionConflict("", **told)


def _too_long(change: Change) -> InvalidArgument:
    text = f"would make the document longer than {change.max_bytes} bytes"
    return InvalidArgument(violations=(("content", text),))

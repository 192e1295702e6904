"""The steps that writing a document and appending to one have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import (
    ConcurrentUpdate,
    ContentErased,
    DocumentVersionConflict,
    InvalidArgument,
)
from everword.domain.ids import new_id
from everword.domain.tokens import ConsistencyToken
from everword.index.builders import Language
from everword_ingest.documents import store
from everword_ingest.documents.index_document import find_unchanged_chunks, index_document
from everword_ingest.documents.model import DocumentChange, DocumentKey, SourceFile, WrittenDocument
from everword_ingest.documents.prepare import Cut, IndexedChunks, Owner, build_chunks
from everword_ingest.documents.store import LockedDocument, NewVersion
from everword_ingest.notes.place import find_place
from everword_ingest.request_ids.claims import claim_request, highest_passage


@dataclass(frozen=True)
class PreparedText:
    """A text that is ready to be stored, if its document is still as it was when that was done."""

    cut: Cut
    file: SourceFile
    owner: Owner
    built: IndexedChunks


async def store_version_idempotently(
    database: Database,
    namespace: NamespaceScope,
    change: DocumentChange,
    write_it: Callable[[Connection, UUID], Awaitable[int]],
    wake: Callable[[], None],
) -> WrittenDocument:
    """Let `write_it` store a version under an id, or find that an equal call did.

    `write_it` returns the highest id of a new passage. Raises RequestIdConflict, and what `write_it` does.
    """
    version_id = new_id()
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(
            conn, namespace.id, change.request_id, change.body_hash, message_ids=[version_id]
        )
        if earlier is None:
            highest = await write_it(conn, version_id)
        else:
            [version_id] = earlier.message_ids
        found = await store.find_version(conn, namespace.id, version_id)
        if found is None:
            raise ContentErased(request_id=change.request_id)
        if earlier is not None:
            chunks = await store.list_chunks(conn, namespace.id, found.document_id)
            highest = await highest_passage(conn, namespace.id, [each.id for each in chunks])
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    return WrittenDocument(
        found.document_id, found.version, version_id, found.chunks, token, earlier is not None
    )


async def find_owner(
    conn: Connection, namespace_id: int, change: DocumentChange
) -> tuple[DocumentChange, Owner]:
    """Return a change in the scope of its document, and the attributes that its chunks share."""
    place = await find_place(conn, namespace_id, change.key.scope)
    change = replace(change, key=replace(change.key, scope=place.scope))
    settings = await get_namespace_settings(conn, namespace_id)
    language = Language(settings.text_search_config, settings.time_zone)
    found = await store.find_key(conn, namespace_id, change.key)
    return change, Owner(found or new_id(), change, place, language, datetime.now(UTC))


async def lock_or_insert_document(
    conn: Connection, namespace_id: int, owner: Owner
) -> LockedDocument:
    """Return a document, locked by this transaction; insert it if there is none. Raises ConcurrentUpdate."""
    key: DocumentKey = owner.change.key
    held = await store.lock_document(conn, namespace_id, owner.document_id)
    if held is None:
        # If another writer is inserting the key, this waits for it and inserts nothing.
        await store.insert_document(conn, namespace_id, owner.document_id, key)
        found = await store.find_key(conn, namespace_id, key)
        held = await store.lock_document(conn, namespace_id, found) if found else None
    if held is None:
        raise ConcurrentUpdate
    return held


async def check_version(
    conn: Connection, namespace_id: int, held: LockedDocument, expected: int | None
) -> None:
    """Raise DocumentVersionConflict where a document is not at the version that is expected, 0 for none."""
    current = held.version if held.is_current else 0
    if expected is None or expected == current:
        return
    told: dict[str, object] = {}
    for name, version in (("expected", expected), ("current", current)):
        id_ = await store.get_version_id(conn, namespace_id, held.id, version) if version else None
        told |= {f"{name}_version": version, f"{name}_version_id": id_ or ""}
    raise DocumentVersionConflict("", **told)


async def store_version(
    conn: Connection,
    namespace_id: int,
    locked: LockedDocument,
    prepared: PreparedText,
    version_id: UUID,
) -> int:
    """Store a version of a locked document, and index it; returns the highest id of a new passage."""
    cut, built, file = prepared.cut, prepared.built, prepared.file
    owner = replace(prepared.owner, document_id=locked.id)
    retained = await find_unchanged_chunks(conn, namespace_id, locked.id, cut)
    if locked.id != prepared.owner.document_id or not retained.missing <= built.ids.keys():
        # Another writer was faster: the prepared passages no longer match the document.
        built = await build_chunks(owner, cut, retained.missing)
    change = owner.change
    row = NewVersion(
        version_id,
        locked.version + 1,
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
        # Read while the document is locked, so that the order of versions is the order of their times.
        datetime.now(UTC),
    )
    await store.write_version(conn, namespace_id, locked.id, row, len(cut.chunks))
    return await index_document(conn, namespace_id, owner, cut, retained, built)


def ensure_fits(change: DocumentChange, text: str) -> None:
    """Raise InvalidArgument where a text is longer than its document may be."""
    if len(text.encode()) <= change.max_bytes:
        return
    told = f"would make the document longer than {change.max_bytes} bytes"
    raise InvalidArgument(violations=(("content", told),))

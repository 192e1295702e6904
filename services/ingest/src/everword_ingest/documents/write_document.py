"""Write a document: the new text replaces the old one, which stays in the history only."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword_ingest.documents.index_document import find_unchanged_chunks
from everword_ingest.documents.model import DocumentChange, SourceFile, WrittenDocument
from everword_ingest.documents.prepare import Cut, build_chunks, cut_text
from everword_ingest.documents.write_steps import (
    PreparedText,
    check_version,
    ensure_fits,
    find_owner,
    lock_or_insert_document,
    store_version,
    store_version_idempotently,
)


async def write_document(
    database: Database,
    namespace: NamespaceScope,
    change: DocumentChange,
    content: str,
    wake: Callable[[], None],
) -> WrittenDocument:
    """Store a version of a document and index it, or find that an equal call did.

    `wake` is called after the commit: there may be work to publish.
    Raises RequestIdConflict, ConversationNotFound, DocumentVersionConflict, DocumentUnreadable and InvalidArgument.
    """
    cut = await cut_text(content, change)
    prepared = await prepare(database, namespace, change, cut, SourceFile())
    return await store_document(database, namespace, change, prepared, wake)


async def prepare(
    database: Database,
    namespace: NamespaceScope,
    change: DocumentChange,
    cut: Cut,
    file: SourceFile,
) -> PreparedText:
    """Build the new chunks of a text. Raises ConversationNotFound and InvalidArgument."""
    ensure_fits(change, cut.text)
    async with database.transaction(namespace.id) as conn:
        change, owner = await find_owner(conn, namespace.id, change)
        retained = await find_unchanged_chunks(conn, namespace.id, owner.document_id, cut)
    built = await build_chunks(owner, cut, retained.missing)
    return PreparedText(cut, file, owner, built)


async def store_document(
    database: Database,
    namespace: NamespaceScope,
    change: DocumentChange,
    prepared: PreparedText,
    wake: Callable[[], None],
) -> WrittenDocument:
    """Store a prepared text. Raises the same errors as `write_document`."""

    async def write_it(conn: Connection, version_id: UUID) -> int:
        return await _replace(conn, namespace.id, change, prepared, version_id)

    return await store_version_idempotently(database, namespace, change, write_it, wake)


async def _replace(
    conn: Connection,
    namespace_id: int,
    change: DocumentChange,
    prepared: PreparedText,
    version_id: UUID,
) -> int:
    """Replace the text of a document; returns the highest id of a passage."""
    held = await lock_or_insert_document(conn, namespace_id, prepared.owner)
    await check_version(conn, namespace_id, held, change.expected_version)
    return await store_version(conn, namespace_id, held, prepared, version_id)

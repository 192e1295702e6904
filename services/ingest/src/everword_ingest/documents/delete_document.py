"""Delete a document: searches no longer find it, and its history keeps its text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ContentErased
from everword.domain.ids import new_id
from everword.domain.tokens import ConsistencyToken
from everword_ingest.documents import store
from everword_ingest.documents.index_document import unindex_document
from everword_ingest.documents.model import DocumentDeletion, DocumentKind, WrittenDocument
from everword_ingest.documents.read_documents import find_document_id, not_found
from everword_ingest.documents.store import NewVersion
from everword_ingest.documents.write_steps import check_version
from everword_ingest.request_ids.claims import claim_request


async def delete_document(
    database: Database,
    namespace: NamespaceScope,
    deletion: DocumentDeletion,
    kind: DocumentKind,
    wake: Callable[[], None],
) -> WrittenDocument:
    """Delete a document of a kind, or find that an equal call did.

    Raises RequestIdConflict, DocumentNotFound, ConversationNotFound and DocumentVersionConflict.
    """
    version_id = new_id()
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(
            conn, namespace.id, deletion.request_id, deletion.body_hash, message_ids=[version_id]
        )
        if earlier is None:
            await _delete(conn, namespace.id, deletion, kind, version_id)
        else:
            [version_id] = earlier.message_ids
        found = await store.find_version(conn, namespace.id, version_id)
        if found is None:
            raise ContentErased(request_id=deletion.request_id)
    wake()
    token = ConsistencyToken(namespace.id, write.position, 0)
    return WrittenDocument(
        found.document_id, found.version, version_id, 0, token, earlier is not None
    )


async def _delete(
    conn: Connection,
    namespace_id: int,
    deletion: DocumentDeletion,
    kind: DocumentKind,
    version_id: UUID,
) -> None:
    document_id = await find_document_id(conn, namespace_id, deletion.target)
    held = await store.lock_document(conn, namespace_id, document_id)
    if held is None or held.kind != kind or not held.is_current:
        raise not_found(deletion.target)
    await check_version(conn, namespace_id, held, deletion.expected_version)
    row = NewVersion(
        version_id,
        held.version + 1,
        True,
        "",
        0,
        [],
        deletion.author,
        deletion.writer,
        "",
        "",
        0,
        b"",
        datetime.now(UTC),
    )
    await store.write_version(conn, namespace_id, held.id, row, 0)
    await unindex_document(conn, namespace_id, held.id)

"""The document that a title or an id names."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.not_found import DocumentNotFound
from everword_ingest.documents import store
from everword_ingest.documents.model import DocumentKey
from everword_ingest.notes.place import find_place


async def find_document_id(conn: Connection, namespace_id: int, target: UUID | DocumentKey) -> UUID:
    """Return the id of a document, whether it stands or not. Raises DocumentNotFound and ConversationNotFound."""
    if isinstance(target, UUID):
        return target
    place = await find_place(conn, namespace_id, target.scope)
    found = await store.find_key(conn, namespace_id, replace(target, scope=place.scope))
    if found is None:
        raise not_found(target)
    return found


def not_found(target: UUID | DocumentKey) -> DocumentNotFound:
    """Return the error that names what was asked for."""
    if isinstance(target, UUID):
        return DocumentNotFound(document_id=target)
    return DocumentNotFound(title=target.title)

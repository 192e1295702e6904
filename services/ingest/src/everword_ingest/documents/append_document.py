"""Add a text to the end of a document: of many writers at once each adds its part."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from uuid import UUID
from weakref import WeakValueDictionary

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ContentErased
from everword_ingest.documents import store
from everword_ingest.documents.model import DocumentChange, SourceFile, WrittenDocument
from everword_ingest.documents.parsing import ParseLimits
from everword_ingest.documents.prepare import IndexedChunks, cut_text
from everword_ingest.documents.write_document import prepare
from everword_ingest.documents.write_steps import (
    PreparedText,
    ensure_fits,
    find_owner,
    lock_or_insert_document,
    store_version,
    store_version_idempotently,
)
from everword_ingest.request_ids.claims import find_request

#: Appending may grow a document to the size of a file.
_WHOLE_LIMITS = ParseLimits()
#: Locks by namespace and key, so that callers that append to one document wait without a database connection.
_turns = WeakValueDictionary[tuple[int, bytes], asyncio.Lock]()


@dataclass(frozen=True)
class _AppendedText:
    """A text with the appended text, ready to be stored."""

    #: The version that it extends; 0 for a new document.
    version: int
    prepared: PreparedText


async def append_document(
    database: Database,
    namespace: NamespaceScope,
    change: DocumentChange,
    content: str,
    wake: Callable[[], None],
) -> WrittenDocument:
    """Append a text on a new line of a document, or return the result of an earlier identical request.

    Raises RequestIdConflict, ConversationNotFound, DocumentUnreadable and InvalidArgument.
    """
    turn = _turns.setdefault((namespace.id, change.key.hash), asyncio.Lock())
    async with turn:
        continued = await _prepare(database, namespace, change, content)

        async def write_it(conn: Connection, version_id: UUID) -> int:
            if continued is None:
                # The claim of the earlier request was just erased with the text it had written.
                raise ContentErased(request_id=change.request_id)
            return await _append(conn, namespace.id, change, content, continued, version_id)

        return await store_version_idempotently(database, namespace, change, write_it, wake)


async def _prepare(
    database: Database, namespace: NamespaceScope, change: DocumentChange, added: str
) -> _AppendedText | None:
    """Cut and build the whole text, outside of any transaction; return None if an earlier call used the request id.

    A repeated call must not fail for what its first call made of the document.
    """
    async with database.transaction(namespace.id) as conn:
        if change.request_id and await find_request(conn, namespace.id, change.request_id):
            return None
        change, owner = await find_owner(conn, namespace.id, change)
        found = await store.get_document(conn, namespace.id, owner.document_id)
        version = found.version if found else 0
        change, content = await _continue(
            conn, namespace.id, owner.document_id, version, change, added
        )
    ensure_fits(change, content)
    cut = await cut_text(content, change, _WHOLE_LIMITS)
    return _AppendedText(version, await prepare(database, namespace, change, cut, SourceFile()))


async def _append(
    conn: Connection,
    namespace_id: int,
    change: DocumentChange,
    added: str,
    continued: _AppendedText,
    version_id: UUID,
) -> int:
    """Append a text to the document; returns the highest id of a new passage."""
    prepared = continued.prepared
    held = await lock_or_insert_document(conn, namespace_id, prepared.owner)
    current = held.version if held.is_current else 0
    if held.id != prepared.owner.document_id or current != continued.version:
        # A writer in another process was faster, or the document was erased and another one has its key. The text is
        # appended to its version while the document is locked.
        change, owner = await find_owner(conn, namespace_id, change)
        change, content = await _continue(conn, namespace_id, held.id, current, change, added)
        ensure_fits(change, content)
        cut = await cut_text(content, change, _WHOLE_LIMITS)
        owner = replace(owner, change=change)
        prepared = PreparedText(cut, SourceFile(), owner, IndexedChunks({}, []))
    return await store_version(conn, namespace_id, held, prepared, version_id)


async def _continue(
    conn: Connection,
    namespace_id: int,
    document_id: UUID,
    version: int,
    change: DocumentChange,
    added: str,
) -> tuple[DocumentChange, str]:
    """Return a change with the labels of a version too, and the version's text with the new one on a line after it."""
    there = await store.get_text(conn, namespace_id, document_id, version) if version else None
    if there is None:
        return change, added
    between = "" if there.content.endswith("\n") else "\n"
    tags = list(dict.fromkeys([*there.tags, *change.tags]))
    return replace(change, tags=tags), f"{there.content}{between}{added}"

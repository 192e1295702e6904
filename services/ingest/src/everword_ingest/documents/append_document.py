"""Add a text to the end of a document: of many writers at once each adds its part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword_ingest.documents import store
from everword_ingest.documents.index_document import find_kept
from everword_ingest.documents.model import Change, SourceFile, Written
from everword_ingest.documents.prepare import build_chunks, cut_text
from everword_ingest.documents.writing import (
    Prepared,
    ensure_fits,
    find_owner,
    hold_document,
    store_once,
    write_version,
)


async def append_document(
    database: Database,
    namespace: NamespaceScope,
    change: Change,
    content: str,
    wake: Callable[[], None],
) -> Written:
    """Store what a document says and a text on a line after it, or find that an equal call did.

    Raises RequestIdConflict, ConversationNotFound, DocumentUnreadable and InvalidArgument.
    """

    async def write_it(conn: Connection, version_id: UUID) -> int:
        return await _append(conn, namespace.id, change, content, version_id)

    return await store_once(database, namespace, change, write_it, wake)


async def _append(
    conn: Connection, namespace_id: int, change: Change, added: str, version_id: UUID
) -> int:
    """Store what is there and a text after it; returns the highest id of a new passage.

    The whole is cut again while the document is held: nobody else can have changed it.
    """
    change, owner = await find_owner(conn, namespace_id, change)
    held = await hold_document(conn, namespace_id, owner)
    content = added
    there = await store.get_text(conn, namespace_id, held.id, held.version) if held.stands else None
    if there is not None:
        between = "" if there.content.endswith("\n") else "\n"
        content = f"{there.content}{between}{added}"
        change = replace(change, tags=list(dict.fromkeys([*there.tags, *change.tags])))
    ensure_fits(change, content)
    owner = replace(owner, document_id=held.id, change=change, now=datetime.now(UTC))
    cut = await cut_text(content, change)
    kept = await find_kept(conn, namespace_id, held.id, cut)
    built = await build_chunks(owner, cut, kept.missing)
    prepared = Prepared(cut, SourceFile(), owner, built)
    return await write_version(conn, namespace_id, held, prepared, kept, version_id)

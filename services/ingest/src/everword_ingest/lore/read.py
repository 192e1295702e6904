"""Read lorebooks and their entries."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import LoreEntryNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.lore import store
from everword_ingest.lore.model import BookFilter, BookTarget
from everword_ingest.lore.place import find_book_id, no_book
from everword_ingest.lore.store import BookRow, EntryRow


async def get_lore_book(
    database: Database, namespace: NamespaceScope, target: BookTarget
) -> BookRow:
    """Return a lorebook. Raises LoreBookNotFound and ConversationNotFound."""
    async with database.transaction(namespace.id) as conn:
        book_id = await find_book_id(conn, namespace.id, target)
        found = await store.get_book(conn, namespace.id, book_id) if book_id else None
    if found is None:
        raise no_book(target)
    return found


async def list_lore_books(
    database: Database, namespace: NamespaceScope, book_filter: BookFilter, page: PageRequest
) -> tuple[Sequence[BookRow], str]:
    """Return a page of lorebooks, and the token of the next one. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListLoreBooks", page)
    async with database.transaction(namespace.id) as conn:
        found = await store.list_books(
            conn, namespace.id, book_filter, cursor.after_id, cursor.limit
        )
    return cursor.cut(found, lambda last: [str(last.id)])


async def get_lore_entry(database: Database, namespace: NamespaceScope, entry_id: UUID) -> EntryRow:
    """Return an entry. Raises LoreEntryNotFound."""
    async with database.transaction(namespace.id) as conn:
        found = await store.get_entry(conn, namespace.id, entry_id)
    if found is None:
        raise LoreEntryNotFound(entry_id=entry_id)
    return found


async def list_lore_entries(
    database: Database, namespace: NamespaceScope, target: BookTarget, page: PageRequest
) -> tuple[Sequence[EntryRow], str]:
    """Return a page of a lorebook's entries, and the token of the next one.

    Raises LoreBookNotFound, ConversationNotFound and InvalidPageToken.
    """
    # 200 entries of the longest allowed text are smaller than the transport's limit.
    cursor = await open_cursor(database, namespace, "ListLoreEntries", page)
    async with database.transaction(namespace.id) as conn:
        book_id = await find_book_id(conn, namespace.id, target)
        if book_id is None or await store.get_book(conn, namespace.id, book_id) is None:
            raise no_book(target)
        found = await store.list_entries(conn, namespace.id, book_id, cursor.after_id, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id)])

"""Read lorebooks and their entries."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import LoreEntryNotFound
from everword.domain.tokens import PageTokens
from everword_ingest.lore import store
from everword_ingest.lore.model import BookFilter, BookTarget
from everword_ingest.lore.place import find_book_id, no_book
from everword_ingest.lore.store import BookRow, EntryRow
from everword_ingest.notes.model import PageRequest

#: Of entries, 200 with all that they may say are less than what the transport takes.
DEFAULT_PAGE, MAX_PAGE = 50, 200


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
    database: Database, namespace: NamespaceScope, wanted: BookFilter, page: PageRequest
) -> tuple[Sequence[BookRow], str]:
    """Return a page of lorebooks, and the token of the next one. Raises InvalidPageToken."""
    size = min(page.size or DEFAULT_PAGE, MAX_PAGE)
    tokens = PageTokens(await database.token_secret(), f"ListLoreBooks:{namespace.id}")
    after = tokens.read(page.token, page.request_hash)
    after_id = UUID(after[0]) if after else None
    async with database.transaction(namespace.id) as conn:
        found = await store.list_books(conn, namespace.id, wanted, after_id, size + 1)
    if len(found) <= size:
        return found, ""
    return found[:size], tokens.issue(page.request_hash, [str(found[size - 1].id)])


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
    size = min(page.size or DEFAULT_PAGE, MAX_PAGE)
    tokens = PageTokens(await database.token_secret(), f"ListLoreEntries:{namespace.id}")
    after = tokens.read(page.token, page.request_hash)
    after_id = UUID(after[0]) if after else None
    async with database.transaction(namespace.id) as conn:
        book_id = await find_book_id(conn, namespace.id, target)
        if book_id is None or await store.get_book(conn, namespace.id, book_id) is None:
            raise no_book(target)
        found = await store.list_entries(conn, namespace.id, book_id, after_id, size + 1)
    if len(found) <= size:
        return found, ""
    return found[:size], tokens.issue(page.request_hash, [str(found[size - 1].id)])

"""Delete lorebooks and entries: nothing finds them any more, and nothing of them is kept."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import LoreEntryNotFound
from everword.domain.tokens import ConsistencyToken
from everword_ingest.lore import store
from everword_ingest.lore.index_entries import unindex_entries
from everword_ingest.lore.model import BookTarget, IdempotencyKey, WrittenLore
from everword_ingest.lore.place import find_book_id, no_book
from everword_ingest.request_ids.claims import claim_request

#: Id that matches no row.
_NOTHING = UUID(int=0)


async def delete_lore_book(
    database: Database, namespace: NamespaceScope, target: BookTarget, request: IdempotencyKey
) -> WrittenLore:
    """Delete a lorebook with its entries, or find that an equal call did.

    Raises RequestIdConflict, LoreBookNotFound and ConversationNotFound.
    """
    async with database.write(namespace.id) as write:
        conn = write.conn
        book_id = await find_book_id(conn, namespace.id, target) or _NOTHING
        earlier = await claim_request(
            conn, namespace.id, request.id, request.body_hash, message_ids=[book_id]
        )
        if earlier is None:
            if await store.lock_book(conn, namespace.id, book_id) is None:
                raise no_book(target)
            ids = await store.list_entry_ids(conn, namespace.id, book_id)
            await store.delete_entries(conn, namespace.id, ids)
            await unindex_entries(conn, namespace.id, ids)
            await store.delete_book(conn, namespace.id, book_id)
        else:
            [book_id] = earlier.message_ids
    token = ConsistencyToken(namespace.id, write.position, 0)
    return WrittenLore(book_id, token, earlier is not None)


async def delete_lore_entry(
    database: Database, namespace: NamespaceScope, entry_id: UUID, request: IdempotencyKey
) -> WrittenLore:
    """Delete an entry, or find that an equal call did. Raises RequestIdConflict and LoreEntryNotFound."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(
            conn, namespace.id, request.id, request.body_hash, message_ids=[entry_id]
        )
        book_id = _NOTHING
        if earlier is None:
            row = await store.get_entry(conn, namespace.id, entry_id)
            held = await store.lock_book(conn, namespace.id, row.book_id) if row else None
            # Whoever held the book before may have deleted the entry.
            if held is None or await store.get_entry(conn, namespace.id, entry_id) is None:
                raise LoreEntryNotFound(entry_id=entry_id)
            book_id = held.id
            await store.delete_entries(conn, namespace.id, [entry_id])
            await store.touch_book(conn, namespace.id, book_id)
            await unindex_entries(conn, namespace.id, [entry_id])
    token = ConsistencyToken(namespace.id, write.position, 0)
    return WrittenLore(book_id, token, earlier is not None, entry_id)

"""The scope of a lorebook, and lookup by name or id."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.not_found import LoreBookNotFound
from everword_ingest.lore import store
from everword_ingest.lore.model import BookKey, BookTarget
from everword_ingest.lore.store import LockedBook
from everword_ingest.notes.place import find_place


async def find_book_id(conn: Connection, namespace_id: int, target: BookTarget) -> UUID | None:
    """Return the id of a lorebook; None if no lorebook has the name. Raises ConversationNotFound."""
    if isinstance(target, UUID):
        return target
    place = await find_place(conn, namespace_id, target.scope)
    return await store.find_book(conn, namespace_id, replace(target, scope=place.scope))


async def lock_target_book(conn: Connection, namespace_id: int, target: BookTarget) -> LockedBook:
    """Return a lorebook, held by this transaction. Raises LoreBookNotFound and ConversationNotFound."""
    book_id = await find_book_id(conn, namespace_id, target)
    held = await store.lock_book(conn, namespace_id, book_id) if book_id else None
    if held is None:
        raise no_book(target)
    return held


def no_book(target: BookTarget) -> LoreBookNotFound:
    """Return the error with the name or id of the request."""
    if isinstance(target, BookKey):
        return LoreBookNotFound(name=target.name)
    return LoreBookNotFound(book_id=target)

"""Write a lorebook, or a whole one with all its entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.tokens import ConsistencyToken
from everword.lore.model import MAX_PATTERNS
from everword.lore.patterns import check_triggers
from everword.rpc.long_work import beside_loop
from everword_ingest.lore import store
from everword_ingest.lore.index_entries import index_entries, unindex_entries
from everword_ingest.lore.model import Imported, NewBook, NewEntry, Request, Written
from everword_ingest.lore.store import EntryRow, LockedBook, count_patterns
from everword_ingest.messages.requests import claim_request
from everword_ingest.notes.place import find_place
from everword_ingest.store import highest_passage


async def write_lore_book(
    database: Database, namespace: NamespaceScope, book: NewBook, request: Request
) -> Written:
    """Store a lorebook, or find that an equal call did.

    Raises RequestIdConflict, ConversationNotFound and InvalidArgument.
    """
    async with database.write(namespace.id) as write:
        conn = write.conn
        held = await _hold_or_make(conn, namespace.id, book)
        earlier = await claim_request(
            conn, namespace.id, request.id, request.body_hash, message_ids=[held.id]
        )
        if earlier is None:
            await store.update_book(conn, namespace.id, held.id, book)
    token = ConsistencyToken(namespace.id, write.position, 0)
    return Written(held.id, token, earlier is not None)


async def import_lore_book(
    database: Database,
    namespace: NamespaceScope,
    book: NewBook,
    entries: Sequence[NewEntry],
    request: Request,
    wake: Callable[[], None],
) -> Imported:
    """Store a lorebook with these entries and no others, or find that an equal call did.

    `wake` is called after the commit: there may be work to publish.
    Raises RequestIdConflict, ConversationNotFound and InvalidArgument.
    """
    await beside_loop(_check, entries)
    async with database.write(namespace.id) as write:
        conn = write.conn
        held = await _hold_or_make(conn, namespace.id, book)
        earlier = await claim_request(
            conn, namespace.id, request.id, request.body_hash, message_ids=[held.id]
        )
        written, unchanged, gone = dict[UUID, NewEntry](), 0, list[UUID]()
        if earlier is None:
            await store.update_book(conn, namespace.id, held.id, book)
            there = await _entries_of(conn, namespace.id, held.id)
            written = _changed(there, entries)
            unchanged = len(entries) - len(written)
            titles = {entry.title for entry in entries}
            gone = [row.id for title, row in there.items() if title not in titles]
            await _apply(conn, namespace.id, held, written, gone)
        highest = await highest_passage(conn, namespace.id, list(written))
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    done = Written(held.id, token, earlier is not None)
    return Imported(done, len(written), unchanged, len(gone))


async def _hold_or_make(conn: Connection, namespace_id: int, book: NewBook) -> LockedBook:
    """Return the lorebook with a name and scope, held by this transaction, and make it first where there is none."""
    place = await find_place(conn, namespace_id, book.scope)
    key = replace(book.key, scope=place.scope)
    if await store.find_book(conn, namespace_id, key) is None:
        # Where another writer is faster, this waits for it and makes nothing.
        await store.insert_book(conn, namespace_id, new_id(), key)
    found = await store.find_book(conn, namespace_id, key)
    held = await store.lock_book(conn, namespace_id, found) if found else None
    if held is None:
        # It was deleted between the two.
        return await _hold_or_make(conn, namespace_id, book)
    return held


def _check(entries: Sequence[NewEntry]) -> None:
    """Raise InvalidArgument where entries cannot be those of one book."""
    seen = set[str]()
    for place, entry in enumerate(entries):
        check_triggers(entry.triggers, f"entries[{place}]", entry.title)
        if entry.title in seen:
            text = "is the title of an entry before"
            raise InvalidArgument(violations=((f"entries[{place}].title", text),))
        seen.add(entry.title)
    if count_patterns(entries) > MAX_PATTERNS:
        text = f"have more than {MAX_PATTERNS} regular expressions together"
        raise InvalidArgument(violations=(("entries", text),))


async def _entries_of(conn: Connection, namespace_id: int, book_id: UUID) -> Mapping[str, EntryRow]:
    rows = await store.list_entries(conn, namespace_id, book_id, None, 2**31 - 1)
    return {row.title: row for row in rows}


def _changed(there: Mapping[str, EntryRow], entries: Sequence[NewEntry]) -> dict[UUID, NewEntry]:
    """Return the entries that are not there as they are, each under its id."""
    changed = dict[UUID, NewEntry]()
    for entry in entries:
        row = there.get(entry.title)
        if row is None or row.body() != entry:
            changed[row.id if row else new_id()] = entry
    return changed


async def _apply(
    conn: Connection,
    namespace_id: int,
    book: LockedBook,
    written: Mapping[UUID, NewEntry],
    gone: Sequence[UUID],
) -> None:
    await store.delete_entries(conn, namespace_id, gone)
    await unindex_entries(conn, namespace_id, gone)
    for id_, entry in written.items():
        await store.write_entry(conn, namespace_id, book.id, id_, entry)
    await index_entries(conn, namespace_id, book, written)

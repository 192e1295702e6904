"""Write a lorebook, or a whole one with all its entries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from everword.db.pipeline import send_queued
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.tokens import ConsistencyToken
from everword.lore.evaluation import run_for_lore
from everword.lore.model import MAX_PATTERNS
from everword.lore.patterns import check_triggers
from everword.rpc.long_work import run_in_thread
from everword_ingest.lore import store
from everword_ingest.lore.index_entries import index_entries, unindex_entries
from everword_ingest.lore.model import IdempotencyKey, ImportedBook, NewBook, NewEntry, WrittenLore
from everword_ingest.lore.store import EntryRow, LockedBook, count_patterns
from everword_ingest.notes.place import find_place
from everword_ingest.request_ids.claims import claim_request, highest_passage

#: Maximum entries per statement, and maximum characters of their contents and triggers.
_PORTION_ENTRIES, _PORTION_CHARS = 100, 500_000


async def write_lore_book(
    database: Database, namespace: NamespaceScope, book: NewBook, request: IdempotencyKey
) -> WrittenLore:
    """Store a lorebook, or find that an equal call did.

    Raises RequestIdConflict, ConversationNotFound and InvalidArgument.
    """
    async with database.write(namespace.id) as write:
        conn = write.conn
        held = await _lock_or_insert_book(conn, namespace.id, book)
        earlier = await claim_request(
            conn, namespace.id, request.id, request.body_hash, message_ids=[held.id]
        )
        if earlier is None:
            await store.update_book(conn, namespace.id, held.id, book)
    token = ConsistencyToken(namespace.id, write.position, 0)
    return WrittenLore(held.id, token, earlier is not None)


async def import_lore_book(
    database: Database,
    namespace: NamespaceScope,
    book: NewBook,
    entries: Sequence[NewEntry],
    request: IdempotencyKey,
    wake: Callable[[], None],
) -> ImportedBook:
    """Store a lorebook with these entries and no others, or find that an equal call did.

    `wake` is called after the commit: there may be work to publish.
    Raises RequestIdConflict, ConversationNotFound and InvalidArgument.
    """
    await run_for_lore(namespace.id, _check, entries)
    async with database.write(namespace.id) as write:
        conn = write.conn
        held = await _lock_or_insert_book(conn, namespace.id, book)
        earlier = await claim_request(
            conn, namespace.id, request.id, request.body_hash, message_ids=[held.id]
        )
        written, unchanged, gone = dict[UUID, NewEntry](), 0, list[UUID]()
        if earlier is None:
            await store.update_book(conn, namespace.id, held.id, book)
            there = await _read_entries(conn, namespace.id, held.id)
            written, gone = await run_in_thread(_compare, there, entries)
            unchanged = len(entries) - len(written)
            await _apply(conn, namespace.id, held, written, gone)
        highest = await highest_passage(conn, namespace.id, list(written))
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    done = WrittenLore(held.id, token, earlier is not None)
    return ImportedBook(done, len(written), unchanged, len(gone))


async def _lock_or_insert_book(conn: Connection, namespace_id: int, book: NewBook) -> LockedBook:
    """Return the lorebook of a name and scope, locked by this transaction; it is created if it does not exist."""
    place = await find_place(conn, namespace_id, book.scope)
    key = replace(book.key, scope=place.scope)
    if await store.find_book(conn, namespace_id, key) is None:
        # If another writer is faster, this waits for it and inserts nothing.
        await store.insert_book(conn, namespace_id, new_id(), key)
    found = await store.find_book(conn, namespace_id, key)
    held = await store.lock_book(conn, namespace_id, found) if found else None
    if held is None:
        # It was deleted between the two.
        return await _lock_or_insert_book(conn, namespace_id, book)
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


async def _read_entries(conn: Connection, namespace_id: int, book_id: UUID) -> list[EntryRow]:
    """Return all entries of a book, read in portions so that the event loop is not blocked."""
    rows, after = list[EntryRow](), None
    while batch := await store.list_entries(conn, namespace_id, book_id, after, _PORTION_ENTRIES):
        rows += batch
        after = batch[-1].id
        await asyncio.sleep(0)
    return rows


def _compare(
    there: Sequence[EntryRow], entries: Sequence[NewEntry]
) -> tuple[dict[UUID, NewEntry], list[UUID]]:
    """Return the new and changed entries by id, and the ids of entries to delete."""
    by_title = {row.title: row for row in there}
    changed = dict[UUID, NewEntry]()
    for entry in entries:
        row = by_title.pop(entry.title, None)
        if row is None or row.body() != entry:
            changed[row.id if row else new_id()] = entry
    return changed, [row.id for row in by_title.values()]


async def _apply(
    conn: Connection,
    namespace_id: int,
    book: LockedBook,
    written: Mapping[UUID, NewEntry],
    removed_ids: Sequence[UUID],
) -> None:
    await store.delete_entries(conn, namespace_id, removed_ids)
    await unindex_entries(conn, namespace_id, removed_ids)
    for batch in _portions(written):
        await store.write_entries(conn, namespace_id, book.id, batch)
        await send_queued(conn)
        await asyncio.sleep(0)
    await index_entries(conn, namespace_id, book, written)


def _portions(entries: Mapping[UUID, NewEntry]) -> Iterator[dict[UUID, NewEntry]]:
    """Yield entries in portions of one statement each, which blocks the event loop for milliseconds."""
    batch, chars = dict[UUID, NewEntry](), 0
    for id_, entry in entries.items():
        batch[id_] = entry
        chars += len(entry.content) + sum(len(trigger.text) for trigger in entry.triggers)
        if len(batch) >= _PORTION_ENTRIES or chars >= _PORTION_CHARS:
            yield batch
            batch, chars = {}, 0
    if batch:
        yield batch

"""Write an entry of a lorebook: the new text replaces the old one, which is not kept."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.not_found import LoreEntryNotFound
from everword.domain.tokens import ConsistencyToken
from everword.lore.evaluation import run_for_lore
from everword.lore.model import MAX_ENTRIES, MAX_PATTERNS
from everword.lore.patterns import check_triggers, has_patterns
from everword_ingest.lore import store
from everword_ingest.lore.index_entries import index_entries
from everword_ingest.lore.model import BookTarget, IdempotencyKey, NewEntry, WrittenLore
from everword_ingest.lore.place import lock_target_book
from everword_ingest.request_ids.claims import claim_request, highest_passage


async def write_lore_entry(
    database: Database,
    namespace: NamespaceScope,
    target: BookTarget,
    entry: NewEntry,
    entry_id: UUID | None,
    request: IdempotencyKey,
    wake: Callable[[], None],
) -> WrittenLore:
    """Store an entry and index it, or find that an equal call did; over the one of `entry_id`, or of its title.

    `wake` is called after the commit: there may be work to publish.
    Raises RequestIdConflict, LoreBookNotFound, LoreEntryNotFound, ConversationNotFound and InvalidArgument.
    """
    if has_patterns(entry.triggers):
        await run_for_lore(namespace.id, check_triggers, entry.triggers, "entry", entry.title)
    else:
        check_triggers(entry.triggers, "entry", entry.title)
    async with database.write(namespace.id) as write:
        conn = write.conn
        book = await lock_target_book(conn, namespace.id, target)
        id_ = await _id_of(conn, namespace.id, book.id, entry, entry_id)
        earlier = await claim_request(
            conn, namespace.id, request.id, request.body_hash, message_ids=[id_]
        )
        if earlier is None:
            await store.write_entries(conn, namespace.id, book.id, {id_: entry})
            await _check_counts(conn, namespace.id, book.id)
            await store.touch_book(conn, namespace.id, book.id)
            await index_entries(conn, namespace.id, book, {id_: entry})
        else:
            [id_] = earlier.message_ids
        highest = await highest_passage(conn, namespace.id, [id_])
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    return WrittenLore(book.id, token, earlier is not None, id_)


async def _id_of(
    conn: Connection, namespace_id: int, book_id: UUID, entry: NewEntry, entry_id: UUID | None
) -> UUID:
    """Return the id of the entry to write: the one that is named, of the same title, or a new one."""
    titled = await store.find_entry(conn, namespace_id, book_id, entry.title)
    if entry_id is None:
        return titled or new_id()
    row = await store.get_entry(conn, namespace_id, entry_id)
    if row is None or row.book_id != book_id:
        raise LoreEntryNotFound(entry_id=entry_id)
    if titled not in (None, entry_id):
        text = "is the title of another entry of the book"
        raise InvalidArgument(violations=(("entry.title", text),))
    return entry_id


async def _check_counts(conn: Connection, namespace_id: int, book_id: UUID) -> None:
    """Raise InvalidArgument where a book holds more than one may, which undoes the write."""
    counts = await store.count_entries(conn, namespace_id, book_id)
    if counts.entries > MAX_ENTRIES:
        text = f"has {MAX_ENTRIES} entries already: write another book"
        raise InvalidArgument(violations=(("book", text),))
    if counts.patterns > MAX_PATTERNS:
        text = f"would have more than {MAX_PATTERNS} regular expressions"
        raise InvalidArgument(violations=(("book", text),))

"""Lorebooks and their entries."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from everword.domain.ids import new_id
from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb
from support.callers import within
from support.foreign import Written
from support.stack import Stack

ENTRY = lore_pb2.NewLoreEntry(
    title="Theirs", content="Their lore.", triggers=[lore_pb2.LoreTrigger(text="theirs")]
)
BREAKS = {"lore_indexed": "DELETE FROM memories WHERE kind = 7"}


def book_request() -> pb.WriteLoreBookRequest:
    return pb.WriteLoreBookRequest(book=lore_pb2.NewLoreBook(name="theirs"), request_id="book")


def import_request() -> pb.ImportLoreBookRequest:
    book = lore_pb2.NewLoreBook(name="imported")
    return pb.ImportLoreBookRequest(book=book, entries=[ENTRY], request_id="import")


async def write(stack: Stack, namespace: str) -> Written:
    """Write two books, one of them with two entries."""
    metadata = within(namespace)
    book = await stack.lore.WriteLoreBook(book_request(), metadata=metadata)
    await stack.lore.ImportLoreBook(import_request(), metadata=metadata)
    entry = pb.WriteLoreEntryRequest(book_id=book.book_id, entry=ENTRY)
    written = await stack.lore.WriteLoreEntry(entry, metadata=metadata)
    entry.entry.title = "Second"
    await stack.lore.WriteLoreEntry(entry, metadata=metadata)
    books = await stack.lore.ListLoreBooks(pb.ListLoreBooksRequest(page_size=1), metadata=metadata)
    entries = await stack.lore.ListLoreEntries(
        pb.ListLoreEntriesRequest(book_id=book.book_id, page_size=1), metadata=metadata
    )
    tokens = {
        "ListLoreBooks": books.next_page_token,
        "ListLoreEntries": entries.next_page_token,
    }
    return Written({"book_id": book.book_id, "entry_id": written.entry_id}, tokens)


BOOK_ID, EMPTY_BOOK_ID, ENTRY_ID = UUID(int=91), UUID(int=92), UUID(int=93)
NAME, TITLE = "Xanthippe's book", "Xanthippe's entry"
TRIGGERS = Jsonb([{"text": "Xanthippe", "mode": 1, "case_sensitive": False}])


def insert_rows(conn: psycopg.Connection, namespace_id: int, words: str) -> None:
    """Store a book with an entry, and an empty one."""
    for id_, name in ((BOOK_ID, NAME), (EMPTY_BOOK_ID, "Empty")):
        conn.execute(
            "INSERT INTO lore_books (namespace_id, id, name, key_hash, description, version) "
            "VALUES (%s, %s, %s, %s, %s, 1)",
            [namespace_id, id_, name, name.encode(), words],
        )
    conn.execute(
        "INSERT INTO lore_entries (namespace_id, id, book_id, title, content, triggers) "
        "VALUES (%s, %s, %s, %s, %s, %s)",
        [namespace_id, ENTRY_ID, BOOK_ID, TITLE, words, TRIGGERS],
    )


def parameters() -> dict[str, dict[str, Any]]:
    """Return the parameters of the statements of lorebooks, by statement."""
    package, book = "everword_ingest.lore", {"book_id": BOOK_ID}
    flags = ("disabled", "constant", "prevent_recursion", "exclude_recursion")
    written = {
        "id": [new_id()],
        "book_id": BOOK_ID,
        "title": ["Smuggled in"],
        "content": ["Smuggled in."],
        "triggers": [TRIGGERS],
        "patterns": [0],
        "scan_depth": [5],
        "priority": [0],
        "sticky_turns": [0],
        **{flag: [False] for flag in flags},
    }
    scope = {"agent": "", "subject": "", "conversation_id": None}
    return {
        f"{package}.insert_book": {**scope, "id": new_id(), "name": "New", "key_hash": b"new"},
        f"{package}.find_book": {"key_hash": NAME.encode()},
        **{f"{package}.{name}": book for name in ("lock_book", "touch_book", "get_book")},
        f"{package}.update_book": {**book, "description": "Smuggled in.", "disabled": False},
        f"{package}.list_books": {"after_id": None},
        f"{package}.delete_book": {"book_id": EMPTY_BOOK_ID},
        f"{package}.get_entry": {"entry_id": ENTRY_ID},
        f"{package}.find_entry": {**book, "title": TITLE},
        f"{package}.list_entries": {**book, "after_id": None},
        f"{package}.count_entries": book,
        f"{package}.list_entry_ids": book,
        f"{package}.write_entries": written,
        f"{package}.delete_entries": {"entry_ids": [ENTRY_ID]},
        "everword.lore.find_books": {"conversation_id": None},
        "everword.lore.read_rules": {"book_ids": [BOOK_ID]},
        "everword.lore.read_contents": {"entry_ids": [ENTRY_ID]},
        "everword.lore.read_lines": {"depth": 5, "turns": 3, "most_chars": 1000},
    }

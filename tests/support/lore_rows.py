"""A lorebook with an entry, and parameters with which every statement of lorebooks hits them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from everword.domain.ids import new_id

BOOK, EMPTY_BOOK, ENTRY = UUID(int=91), UUID(int=92), UUID(int=93)
NAME, TITLE = "Xanthippe's book", "Xanthippe's entry"
TRIGGERS = Jsonb([{"text": "Xanthippe", "mode": 1, "case_sensitive": False}])


def insert_lore(conn: psycopg.Connection, namespace_id: int, message_id: UUID, words: str) -> None:
    """Store a book with an entry, an empty one, and the class of a memory."""
    for id_, name in ((BOOK, NAME), (EMPTY_BOOK, "Empty")):
        conn.execute(
            "INSERT INTO lore_books (namespace_id, id, name, key_hash, description, version) "
            "VALUES (%s, %s, %s, %s, %s, 1)",
            [namespace_id, id_, name, name.encode(), words],
        )
    conn.execute(
        "INSERT INTO lore_entries (namespace_id, id, book_id, title, content, triggers) "
        "VALUES (%s, %s, %s, %s, %s, %s)",
        [namespace_id, ENTRY, BOOK, TITLE, words, TRIGGERS],
    )
    conn.execute(
        "INSERT INTO memory_classes (namespace_id, memory_id, importance_class) VALUES (%s, %s, 2) "
        "ON CONFLICT DO NOTHING",
        [namespace_id, message_id],
    )


def lore_parameters() -> dict[str, dict[str, Any]]:
    """Return the parameters of the lorebook statements, by statement name."""
    package, book = "everword_ingest.lore", {"book_id": BOOK}
    flags = ("disabled", "constant", "prevent_recursion", "exclude_recursion")
    written = {
        "id": [new_id()],
        "book_id": BOOK,
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
        f"{package}.delete_book": {"book_id": EMPTY_BOOK},
        f"{package}.get_entry": {"entry_id": ENTRY},
        f"{package}.find_entry": {**book, "title": TITLE},
        f"{package}.list_entries": {**book, "after_id": None},
        f"{package}.count_entries": book,
        f"{package}.list_entry_ids": book,
        f"{package}.write_entries": written,
        f"{package}.delete_entries": {"entry_ids": [ENTRY]},
        "everword.lore.find_books": {"conversation_id": None},
        "everword.lore.read_rules": {"book_ids": [BOOK]},
        "everword.lore.read_contents": {"entry_ids": [ENTRY]},
        "everword.lore.read_lines": {"depth": 5, "turns": 3, "most_chars": 1000},
    }

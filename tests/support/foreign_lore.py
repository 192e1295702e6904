"""Calls on lorebooks with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb
from support.callers import within
from support.foreign import NO_CONVERSATION, NO_PAGE, Call, Theirs
from support.stack import Stack

NO_BOOK, NO_ENTRY = "LORE_BOOK_NOT_FOUND", "LORE_ENTRY_NOT_FOUND"
ENTRY = lore_pb2.NewLoreEntry(
    title="Theirs", content="Their lore.", triggers=[lore_pb2.LoreTrigger(text="theirs")]
)
MINE = lore_pb2.NewLoreEntry(title="Mine", content="Mine.")


@dataclass(frozen=True)
class TheirLore:
    """Ids and tokens of a namespace's lorebooks."""

    book_id: str
    entry_id: str
    page_tokens: dict[str, str]


def book_request(**fields: Any) -> pb.WriteLoreBookRequest:
    return pb.WriteLoreBookRequest(book=lore_pb2.NewLoreBook(name="theirs"), **fields)


def import_request(**fields: Any) -> pb.ImportLoreBookRequest:
    book = lore_pb2.NewLoreBook(name="imported")
    return pb.ImportLoreBookRequest(book=book, entries=[ENTRY], **fields)


def _scope(theirs: Theirs) -> lore_pb2.LoreScope:
    return lore_pb2.LoreScope(conversation_id=theirs.conversation_id)


def _key(theirs: Theirs) -> lore_pb2.LoreBookKey:
    return lore_pb2.LoreBookKey(name="theirs", scope=_scope(theirs))


def _mine(theirs: Theirs) -> lore_pb2.NewLoreBook:
    return lore_pb2.NewLoreBook(name="mine", scope=_scope(theirs))


async def write_lore(stack: Stack, namespace: str) -> TheirLore:
    """Write two books, one of them with two entries."""
    metadata = within(namespace)
    book = await stack.lore.WriteLoreBook(book_request(request_id="book"), metadata=metadata)
    await stack.lore.ImportLoreBook(import_request(request_id="import"), metadata=metadata)
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
    return TheirLore(book.book_id, written.entry_id, tokens)


#: Like `REFUSED` and `EMPTY` of the test.
LORE_REFUSED: dict[str, tuple[str, Call]] = {
    "WriteLoreBook book.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.lore.WriteLoreBook(pb.WriteLoreBookRequest(book=_mine(t))),
    ),
    "ImportLoreBook book.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.lore.ImportLoreBook(pb.ImportLoreBookRequest(book=_mine(t))),
    ),
    "GetLoreBook book_id": (
        NO_BOOK,
        lambda s, t: s.lore.GetLoreBook(pb.GetLoreBookRequest(book_id=t.book_id)),
    ),
    "GetLoreBook key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.lore.GetLoreBook(pb.GetLoreBookRequest(key=_key(t))),
    ),
    "DeleteLoreBook book_id": (
        NO_BOOK,
        lambda s, t: s.lore.DeleteLoreBook(pb.DeleteLoreBookRequest(book_id=t.book_id)),
    ),
    "DeleteLoreBook key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.lore.DeleteLoreBook(pb.DeleteLoreBookRequest(key=_key(t))),
    ),
    "ListLoreBooks page_token": (
        NO_PAGE,
        lambda s, t: s.lore.ListLoreBooks(
            pb.ListLoreBooksRequest(page_size=1, page_token=t.page_tokens["ListLoreBooks"])
        ),
    ),
    "WriteLoreEntry book_id": (
        NO_BOOK,
        lambda s, t: s.lore.WriteLoreEntry(pb.WriteLoreEntryRequest(book_id=t.book_id, entry=MINE)),
    ),
    "WriteLoreEntry key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.lore.WriteLoreEntry(pb.WriteLoreEntryRequest(key=_key(t), entry=MINE)),
    ),
    "WriteLoreEntry entry_id": (
        NO_BOOK,
        lambda s, t: s.lore.WriteLoreEntry(
            pb.WriteLoreEntryRequest(book_id=t.book_id, entry=MINE, entry_id=t.entry_id)
        ),
    ),
    "GetLoreEntry entry_id": (
        NO_ENTRY,
        lambda s, t: s.lore.GetLoreEntry(pb.GetLoreEntryRequest(entry_id=t.entry_id)),
    ),
    "DeleteLoreEntry entry_id": (
        NO_ENTRY,
        lambda s, t: s.lore.DeleteLoreEntry(pb.DeleteLoreEntryRequest(entry_id=t.entry_id)),
    ),
    "ListLoreEntries book_id": (
        NO_BOOK,
        lambda s, t: s.lore.ListLoreEntries(pb.ListLoreEntriesRequest(book_id=t.book_id)),
    ),
    "ListLoreEntries key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.lore.ListLoreEntries(pb.ListLoreEntriesRequest(key=_key(t))),
    ),
    "ListLoreEntries page_token": (
        NO_PAGE,
        lambda s, t: s.lore.ListLoreEntries(
            pb.ListLoreEntriesRequest(
                book_id=t.book_id, page_size=1, page_token=t.page_tokens["ListLoreEntries"]
            )
        ),
    ),
    "MatchLore scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.lore.MatchLore(pb.MatchLoreRequest(text="theirs", scope=_scope(t))),
    ),
}
LORE_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "ListLoreBooks": (
        lambda s, t: s.lore.ListLoreBooks(pb.ListLoreBooksRequest()),
        lambda answer: not answer.books,
    ),
    "ListLoreBooks filter.conversation_ids": (
        lambda s, t: s.lore.ListLoreBooks(
            pb.ListLoreBooksRequest(filter=pb.LoreBookFilter(conversation_ids=[t.conversation_id]))
        ),
        lambda answer: not answer.books,
    ),
    "MatchLore": (
        lambda s, t: s.lore.MatchLore(pb.MatchLoreRequest(text="theirs")),
        lambda answer: not answer.matches,
    ),
    "WriteLoreBook": (
        lambda s, t: s.lore.WriteLoreBook(
            book_request(request_id="book"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
    "ImportLoreBook": (
        lambda s, t: s.lore.ImportLoreBook(
            import_request(request_id="import"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
}

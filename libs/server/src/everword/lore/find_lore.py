"""Find the entries of lorebooks that are in a context, and why: contents are read of those alone that matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.lore import store
from everword.lore.compiled_book import CompiledBook, CompiledBooks
from everword.lore.lore_search import LoreSearch
from everword.lore.model import LoreLine, Omission, Reason, Rule, Trigger

#: Books that are looked at, and entries that are returned.
MOST_BOOKS, MOST_ENTRIES = 50, 200
#: Messages that are looked at, how much of each, and of all of them, in characters and bytes.
_LINES = {"limit": 1000, "most_chars": 32_768, "max_bytes": 4 * 1024 * 1024}
_USER = 2


@dataclass(frozen=True)
class LoreRequest:
    """The filters and the new message of a context; None is no filter."""

    agents: Sequence[str] | None = None
    subjects: Sequence[str] | None = None
    conversation_id: UUID | None = None
    #: The new message; empty if it is stored already.
    text: str = ""
    #: True if the new message is automated.
    automated: bool = False
    most: int = MOST_ENTRIES


@dataclass(frozen=True)
class FoundEntry:
    """An entry that is in a context."""

    rule: Rule
    book: str
    reason: Reason
    content: str

    @property
    def trigger(self) -> Trigger | None:
        """The trigger that matched; None for a constant entry."""
        place = self.reason.trigger
        return None if place is None else self.rule.triggers[place]


@dataclass(frozen=True)
class ActiveLore:
    """The entries that are in a context."""

    #: Constant ones first, then highest priority first.
    entries: Sequence[FoundEntry] = ()
    #: Entries that may be missing because their search costs too much; at most `MAX_OMISSIONS`.
    omissions: Sequence[Omission] = ()


async def find_lore(
    conn: Connection, book_cache: CompiledBooks, namespace_id: int, request: LoreRequest
) -> ActiveLore:
    """Return the entries that are in a context; entries that cost too much to search for are omitted."""
    rows = await store.find_books(
        conn,
        namespace_id,
        request.agents,
        request.subjects,
        request.conversation_id,
        MOST_BOOKS,
    )
    if not rows:
        return ActiveLore()
    search = LoreSearch(conn, namespace_id)
    books = await search.compile(book_cache, rows)
    rules = {id_: rule for book in books.values() for id_, rule in book.rules.items()}
    lines = await _read_lines(conn, namespace_id, list(books.values()), request) if rules else []
    active = await search.find_active(lines, list(books.values()), rules) if rules else {}
    first = sorted(
        active,
        key=lambda id_: (not rules[id_].constant, -rules[id_].priority, rules[id_].title, id_),
    )
    first = first[: request.most]
    contents = await store.read_contents(conn, namespace_id, first) if first else {}
    names = {row.id: row.name for row in rows}
    found = [
        FoundEntry(rules[id_], names[rules[id_].book_id], active[id_], contents[id_])
        for id_ in first
        if id_ in contents
    ]
    return ActiveLore(found, search.omissions(names, books, active))


async def _read_lines(
    conn: Connection, namespace_id: int, books: Sequence[CompiledBook], request: LoreRequest
) -> list[LoreLine]:
    """Return the messages, oldest first, as far back as any entry scans; the new message is last."""
    lines = list[LoreLine]()
    if request.conversation_id:
        depth, turns = max(book.max_depth for book in books), max(book.max_turns for book in books)
        rows = await store.read_lines(
            conn, namespace_id, request.conversation_id, depth, turns, _LINES
        )
        lines = [LoreLine(row.content, row.role == _USER, row.automated) for row in reversed(rows)]
    # The caller may have stored it before it asks.
    if request.text and not (lines and _is_current_line(request, lines[-1])):
        lines.append(LoreLine(request.text, not request.automated, request.automated))
    return lines


def _is_current_line(request: LoreRequest, line: LoreLine) -> bool:
    """Return whether a stored line is the new message: the same text, and not by the agent."""
    asked = line.automated if request.automated else line.is_turn
    return asked and line.text.strip() == request.text.strip()

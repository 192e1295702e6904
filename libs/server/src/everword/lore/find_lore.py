"""Find the entries of lorebooks that are in a context, and why: contents are read of those alone that matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.lore import store
from everword.lore.activation import Rules, find_active, find_sources
from everword.lore.compiled import CompiledBook, CompiledBooks, compile_book
from everword.lore.matcher import Text
from everword.lore.model import MAX_RECURSION, EntryId, Hits, Line, Reason, Rule, Trigger
from everword.rpc.long_work import beside_loop

#: Books that are looked at, and entries that are returned.
MOST_BOOKS, MOST_ENTRIES = 50, 200
#: Entries whose contents are looked through at once for what they set off.
_MOST_CONTENTS = 500
#: What is decided at once; more is left to a thread.
_FEW_HITS = 200
#: Messages that are looked at, how much of each, and of all of them, in characters and bytes.
_LINES = {"limit": 1000, "most_chars": 32_768, "max_bytes": 4 * 1024 * 1024}
_USER = 2


@dataclass(frozen=True)
class LoreRequest:
    """What a context asks for; None lets everything through."""

    agents: Sequence[str] | None = None
    subjects: Sequence[str] | None = None
    conversation_id: UUID | None = None
    #: What is said now; empty where it is stored already.
    text: str = ""
    #: Whether nobody said that on purpose.
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
        """The trigger of it that matched; None where it is constant."""
        place = self.reason.trigger
        return None if place is None else self.rule.triggers[place]


async def find_lore(
    conn: Connection, kept: CompiledBooks, namespace_id: int, request: LoreRequest
) -> list[FoundEntry]:
    """Return the entries that are in a context, those of the highest priority first."""
    rows = await store.find_books(
        conn,
        namespace_id,
        request.agents,
        request.subjects,
        request.conversation_id,
        MOST_BOOKS,
    )
    if not rows:
        return []
    books = await _compile(conn, kept, namespace_id, rows)
    rules = {id_: rule for book in books for id_, rule in book.rules.items()}
    if not rules:
        return []
    lines = await _read_lines(conn, namespace_id, books, request)
    hits = await beside_loop(_match, lines, books)
    edges = await _find_edges(conn, namespace_id, books, rules, find_sources(lines, hits, rules))
    if sum(map(len, hits)) > _FEW_HITS:
        active = await beside_loop(find_active, lines, hits, edges, rules)
    else:
        active = find_active(lines, hits, edges, rules)
    first = sorted(active, key=lambda id_: (-rules[id_].priority, rules[id_].title, id_))
    first = first[: request.most]
    contents = await store.read_contents(conn, namespace_id, first) if first else {}
    names = {row.id: row.name for row in rows}
    return [
        FoundEntry(rules[id_], names[rules[id_].book_id], active[id_], contents[id_])
        for id_ in first
        if id_ in contents
    ]


async def _compile(
    conn: Connection, kept: CompiledBooks, namespace_id: int, rows: Sequence[store.BookRow]
) -> list[CompiledBook]:
    """Return books as they stand, compiled; of those that have not changed, nothing is read."""
    books = {row.id: kept.get(row.id, row.version) for row in rows}
    if missing := [id_ for id_, book in books.items() if book is None]:
        rules = [row.rule() for row in await store.read_rules(conn, namespace_id, missing)]
        for row in rows:
            if row.id in missing:
                own = [rule for rule in rules if rule.book_id == row.id]
                books[row.id] = compiled = await beside_loop(compile_book, row.version, own)
                kept.put(row.id, compiled)
    return [book for book in books.values() if book is not None]


async def _read_lines(
    conn: Connection, namespace_id: int, books: Sequence[CompiledBook], request: LoreRequest
) -> list[Line]:
    """Return what was said, oldest first, as far back as any entry looks; what is said now is the last."""
    lines = list[Line]()
    if request.conversation_id:
        depth, turns = max(book.max_depth for book in books), max(book.max_turns for book in books)
        rows = await store.read_lines(
            conn, namespace_id, request.conversation_id, depth, turns, _LINES
        )
        lines = [Line(row.content, row.role == _USER, row.automated) for row in reversed(rows)]
    # The caller may have stored it before it asks.
    if request.text and not (lines and _says(request, lines[-1])):
        lines.append(Line(request.text, not request.automated, request.automated))
    return lines


def _says(request: LoreRequest, line: Line) -> bool:
    """Tell whether a line is what is said now: in the same words, and not by the agent."""
    asked = line.automated if request.automated else line.is_turn
    return asked and line.text.strip() == request.text.strip()


def _match(lines: Sequence[Line], books: Sequence[CompiledBook]) -> list[Hits]:
    """Return what each line sets off: work for a thread."""
    return [_hits(Text(line.text), books) for line in lines]


def _hits(text: Text, books: Sequence[CompiledBook]) -> Hits:
    return {id_: place for book in books for id_, place in book.matcher.match(text).items()}


async def _find_edges(
    conn: Connection,
    namespace_id: int,
    books: Sequence[CompiledBook],
    rules: Rules,
    sources: set[EntryId],
) -> Mapping[EntryId, Hits]:
    """Return what the contents of entries set off, and of those they set off, as far as recursion goes."""
    edges = dict[EntryId, Hits]()
    for _ in range(MAX_RECURSION):
        wanted = [rules[id_] for id_ in sources - edges.keys() if not rules[id_].prevent_recursion]
        wanted = sorted(wanted, key=lambda rule: (-rule.priority, rule.id))[:_MOST_CONTENTS]
        if not wanted:
            break
        edges |= await _read_edges(conn, namespace_id, books, wanted)
        found = {id_ for rule in wanted for id_ in edges[rule.id]}
        sources = {id_ for id_ in found if id_ in rules and not rules[id_].exclude_recursion}
    return edges


async def _read_edges(
    conn: Connection, namespace_id: int, books: Sequence[CompiledBook], wanted: Sequence[Rule]
) -> dict[EntryId, Hits]:
    """Return what the contents of entries set off. They are read where that is not known yet."""
    found = {rule.id: [book.known(rule) for book in books] for rule in wanted}
    if unknown := [rule for rule in wanted if None in found[rule.id]]:
        contents = await store.read_contents(conn, namespace_id, [rule.id for rule in unknown])

        def learn() -> None:
            for rule in unknown:
                content = Text(contents.get(rule.id, ""))
                found[rule.id] = [book.learn(rule, content) for book in books]

        await beside_loop(learn)
    return {
        id_: {other: place for hits in each if hits for other, place in hits.items()}
        for id_, each in found.items()
    }

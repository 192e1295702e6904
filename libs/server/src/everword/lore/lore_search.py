"""Searches for the lore entries of a context, within the CPU time limit of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ParamSpec, TypeVar
from uuid import UUID

from everword.db.pool import Connection
from everword.lore import store
from everword.lore.activation import Edges, Rules, find_active, find_sources
from everword.lore.compiled_book import CompiledBook, CompiledBooks, compile_book
from everword.lore.evaluation import Evaluation
from everword.lore.match_texts import TextHits, match_texts
from everword.lore.matcher import RegexTrigger
from everword.lore.model import (
    MAX_OMISSIONS,
    MAX_RECURSION,
    EntryId,
    Hits,
    LoreLine,
    Omission,
    Reason,
    Rule,
)

P = ParamSpec("P")
T = TypeVar("T")
#: Entries whose contents are searched for triggers together.
_MOST_CONTENTS = 500
#: Up to this size, work is done on the event loop; beyond it, in a thread.
_FEW_HITS = 200
_TOO_LONG = (
    "was not searched for in all texts: the patterns of this context take too much time together; use fewer "
    "repetitions, disable entries, or lower their scan_depth"
)
_TOO_MUCH = (
    "searching the messages of this context for all triggers takes too long; disable books, or lower the scan_depth "
    "and sticky_turns of entries"
)


class LoreSearch:
    """The search of one call for the triggers of lorebooks."""

    def __init__(self, conn: Connection, namespace_id: int) -> None:
        self._conn = conn
        self._namespace_id = namespace_id
        # Compiling a large changed book must not use up the time for the search.
        self._compiling, self._evaluation = Evaluation(), Evaluation()
        #: Patterns that were not searched for everywhere, and whether other triggers were not either.
        self._unsearched: dict[RegexTrigger, None] = {}
        self._is_cut = False

    async def compile(
        self, book_cache: CompiledBooks, rows: Sequence[store.ActiveBookRow]
    ) -> dict[UUID, CompiledBook]:
        """Return compiled books by id, as many as the time allows. Unchanged books are taken from the cache."""
        books = dict[UUID, CompiledBook]()
        for row in rows:
            book = book_cache.get(row.id, row.version)
            if book is None and not self._compiling.is_over():
                rules = await store.read_rules(self._conn, self._namespace_id, [row.id])
                book = await self._compiling.run(self._namespace_id, _compile, row.version, rules)
                book_cache.put(row.id, book)
            if book is not None:
                books[row.id] = book
        return books

    async def find_active(
        self, lines: Sequence[LoreLine], books: Sequence[CompiledBook], rules: Rules
    ) -> Mapping[EntryId, Reason]:
        """Return the entries that these lines bring into the context, with the reasons."""
        hits = await self._run(self._match_lines, lines, books)
        is_few = sum(map(len, hits)) <= _FEW_HITS
        sources = (
            find_sources(lines, hits, rules)
            if is_few
            else await self._run(find_sources, lines, hits, rules)
        )
        edges = await self._find_edges(books, rules, sources)
        if is_few and sum(map(len, edges.values())) <= _FEW_HITS:
            return find_active(lines, hits, edges, rules)
        return await self._run(self._find_active, lines, hits, edges, rules)

    def omissions(
        self,
        names: Mapping[UUID, str],
        books: Mapping[UUID, CompiledBook],
        active: Mapping[EntryId, Reason],
    ) -> list[Omission]:
        """Return the entries that may be missing from the context; included entries are no omissions."""
        missing = dict[EntryId, Omission]()
        refused = [
            pattern
            for book in books.values()
            for pattern in book.matcher.patterns
            if pattern.refusal
        ]
        for pattern in [*sorted(refused, key=_title), *sorted(self._unsearched, key=_title)]:
            rule = pattern.rule
            if rule.id not in active and rule.id not in missing:
                reason = pattern.refusal or _TOO_LONG
                missing[rule.id] = Omission(
                    rule.book_id, names[rule.book_id], reason, rule, pattern.text
                )
        whole = [
            Omission(id_, name, _TOO_MUCH)
            for id_, name in names.items()
            if self._is_cut or id_ not in books
        ]
        return [*whole, *missing.values()][:MAX_OMISSIONS]

    async def _run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._evaluation.run(self._namespace_id, work, *args, **kwargs)

    def _match_lines(self, lines: Sequence[LoreLine], books: Sequence[CompiledBook]) -> list[Hits]:
        """Return the entries that each line triggers; newest lines are searched first."""
        texts = [line.text for line in reversed(lines)]
        by_book = self._match(texts, books)
        return [_joined(found) for found in zip(*by_book, strict=True)][::-1]

    def _match(self, texts: Sequence[str], books: Sequence[CompiledBook]) -> Sequence[TextHits]:
        matches = match_texts(texts, [book.matcher for book in books], self._evaluation)
        self._unsearched.update(dict.fromkeys(matches.unsearched))
        self._is_cut |= matches.unread > 0
        return matches.hits

    def _find_active(
        self, lines: Sequence[LoreLine], hits: Sequence[Hits], edges: Edges, rules: Rules
    ) -> dict[EntryId, Reason]:
        active = find_active(lines, hits, edges, rules, self._evaluation.is_over)
        self._is_cut |= self._evaluation.is_over()
        return active

    async def _find_edges(
        self, books: Sequence[CompiledBook], rules: Rules, sources: set[EntryId]
    ) -> Edges:
        """Return the entries that the contents of entries trigger, recursively up to the recursion limit."""
        edges = dict[EntryId, Hits]()
        for _ in range(MAX_RECURSION):
            requested = [
                rules[id_] for id_ in sources - edges.keys() if not rules[id_].prevent_recursion
            ]
            requested = sorted(requested, key=lambda rule: (-rule.priority, rule.id))[
                :_MOST_CONTENTS
            ]
            if not requested:
                break
            found = await self._read_edges(books, requested)
            if sum(map(len, found)) <= _FEW_HITS:
                sources = _add_edges(edges, requested, found, rules)
            else:
                sources = await self._run(_add_edges, edges, requested, found, rules)
        return edges

    async def _read_edges(
        self, books: Sequence[CompiledBook], wanted: Sequence[Rule]
    ) -> list[Hits]:
        """Return the entries that each entry's content triggers, by entry and book; contents are read unless cached."""
        known = [[book.known(rule) for book in books] for rule in wanted]
        unknown = [rule for rule, found in zip(wanted, known, strict=True) if None in found]
        learned = dict[EntryId, list[Hits]]()
        if unknown:
            ids = [rule.id for rule in unknown]
            contents = await store.read_contents(self._conn, self._namespace_id, ids)
            learned = await self._run(self._learn, books, unknown, contents)
        return [
            hits or {}
            for rule, found in zip(wanted, known, strict=True)
            for hits in learned.get(rule.id, found)
        ]

    def _learn(
        self,
        books: Sequence[CompiledBook],
        rules: Sequence[Rule],
        contents: Mapping[EntryId, str],
    ) -> dict[EntryId, list[Hits]]:
        """Find the other entries that contents trigger, and cache them if no trigger was skipped."""
        learned = dict[EntryId, list[Hits]]()
        matchers = [book.matcher for book in books]
        for rule in rules:
            matches = match_texts([contents.get(rule.id, "")], matchers, self._evaluation)
            found: list[Hits] = [
                {id_: place for id_, place in hits.items() if id_ != rule.id}
                for [hits] in matches.hits
            ]
            learned[rule.id] = found
            self._unsearched.update(dict.fromkeys(matches.unsearched))
            self._is_cut |= matches.unread > 0
            if matches.is_complete:
                for book, hits in zip(books, found, strict=True):
                    book.learn(rule, hits)
        return learned


def _compile(version: int, rows: Sequence[store.RuleRow]) -> CompiledBook:
    return compile_book(version, [row.rule() for row in rows])


def _add_edges(
    edges: dict[EntryId, Hits], wanted: Sequence[Rule], found: Sequence[Hits], rules: Rules
) -> set[EntryId]:
    """Add the entries that entries trigger, by entry and book; return the entries to search next."""
    books = len(found) // len(wanted)
    for number, rule in enumerate(wanted):
        edges[rule.id] = _joined(found[number * books : (number + 1) * books])
    reached = {id_ for rule in wanted for id_ in edges[rule.id]}
    return {id_ for id_ in reached if id_ in rules and not rules[id_].exclude_recursion}


def _title(pattern: RegexTrigger) -> tuple[str, EntryId]:
    return pattern.rule.title, pattern.rule.id


def _joined(found: Iterable[Hits]) -> Hits:
    return {id_: place for hits in found for id_, place in hits.items()}

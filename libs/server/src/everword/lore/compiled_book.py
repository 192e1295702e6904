"""Lorebooks as they are matched, kept in memory as long as they stay as they are."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from uuid import UUID

from cachetools import TTLCache

from everword.lore.matcher import Matcher
from everword.lore.model import EntryId, Hits, Rule

#: Limits of the cache: number of triggers, and lifetime of a book in seconds, so that deleted ones are evicted.
_MOST_TRIGGERS, _LIFETIME_S = 50_000, 600.0
#: Number of triggers that a pattern counts as in the cache: one with `\pL` takes 35 KB, a key half a KB.
_PATTERN_WEIGHT = 25
#: Number of entries with cached recursive triggers in a book.
_MOST_CONTENTS = 5_000
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CompiledBook:
    """A lorebook in one of its versions."""

    version: int
    rules: Mapping[EntryId, Rule]
    matcher: Matcher
    #: By entries, and their versions, what their contents set off in this book.
    _set_off: dict[tuple[EntryId, int], Hits] = field(default_factory=dict)

    @property
    def max_depth(self) -> int:
        return max((rule.scan_depth for rule in self.rules.values()), default=0)

    @property
    def max_turns(self) -> int:
        return max((rule.sticky_turns for rule in self.rules.values()), default=0)

    @property
    def weight(self) -> int:
        """The size in the cache, in triggers."""
        return 1 + self.matcher.plain + _PATTERN_WEIGHT * len(self.matcher.patterns)

    def known(self, rule: Rule) -> Hits | None:
        """Return the entries that an entry's content triggers; None if not computed yet."""
        return self._set_off.get((rule.id, rule.version))

    def learn(self, rule: Rule, hits: Hits) -> None:
        """Cache the entries that an entry's content triggers."""
        if len(self._set_off) >= _MOST_CONTENTS:
            self._set_off.clear()
        self._set_off[rule.id, rule.version] = hits


def compile_book(version: int, rules: Sequence[Rule]) -> CompiledBook:
    """Return a lorebook ready to be matched, except for its patterns. CPU-bound: call it in a thread."""
    return CompiledBook(version, {rule.id: rule for rule in rules}, Matcher(rules))


class CompiledBooks:
    """The lorebooks that were looked at last, of all namespaces, by their ids."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._books: TTLCache[UUID, CompiledBook] = TTLCache(
            _MOST_TRIGGERS, _LIFETIME_S, getsizeof=lambda book: book.weight
        )

    def get(self, book_id: UUID, version: int) -> CompiledBook | None:
        """Return a book, unless it has changed or is not kept."""
        with self._lock:
            found = self._books.get(book_id)
        return found if found and found.version == version else None

    def put(self, book_id: UUID, book: CompiledBook) -> None:
        # An imported namespace may have books beyond the limits of LoreService.
        if book.weight <= self._books.maxsize:
            with self._lock:
                self._books[book_id] = book

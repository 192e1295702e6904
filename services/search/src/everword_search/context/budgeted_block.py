"""A block of a context with its cost in tokens. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from everword_search.context.item import ContextItem
from everword_search.context.model import BlockSource
from everword_search.context.text import Layout


@dataclass
class BudgetedBlock:
    """A heading with items grouped by day; a block without items costs nothing and is not shown."""

    source: BlockSource
    layout: Layout
    items: list[ContextItem] = field(default_factory=list)
    tokens: int = 0
    _days: set[str] = field(default_factory=set)

    def cost(self, item: ContextItem) -> int:
        """Return the tokens that an item would add, including a heading or day line that it requires."""
        heading = 0 if self.items else self.layout.heading_tokens(self.source)
        has_day = item.day == "" or item.day in self._days
        day = 0 if has_day else self.layout.day_tokens
        return heading + day + item.tokens

    def add(self, item: ContextItem) -> None:
        self.tokens += self.cost(item)
        self.items.append(item)
        self._days.add(item.day)

    def replace(self, item: ContextItem, other: ContextItem) -> None:
        """Replace an item by another form of it."""
        place = next(at for at, each in enumerate(self.items) if each is item)
        self.items[place] = other
        self.tokens += other.tokens - item.tokens

    def remove(self, gone: ContextItem) -> None:
        """Remove an item, with a heading or day line that is no longer required."""
        retained = [item for item in self.items if item is not gone]
        self.items, self.tokens, self._days = [], 0, set()
        for item in retained:
            self.add(item)

    def oldest_first(self) -> list[ContextItem]:
        """Return the items in order of display: those without a time first, the others by time."""
        return sorted(self.items, key=lambda item: item.place)

    def text(self, first: int) -> str:
        """Return the block's text, with items numbered from `first`."""
        return self.layout.block(self.source, self.oldest_first(), first)

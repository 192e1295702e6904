"""A block of a context with its cost in tokens. Pure."""

from __future__ import annotations

from bisect import bisect_right
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
    _ordered: list[ContextItem] = field(default_factory=list)

    def cost(self, item: ContextItem) -> int:
        """Return the tokens that an item would add, including a heading or date line that it requires."""
        heading = 0 if self.items else self.layout.heading_tokens(self.source)
        at = self._place(item)
        after = self._ordered[at - 1] if at else None
        dates = self.layout.header_tokens(item, after)
        if at < len(self._ordered):
            following = self._ordered[at]
            dates += self.layout.header_tokens(following, item)
            dates -= self.layout.header_tokens(following, after)
        return heading + dates + item.tokens

    def add(self, item: ContextItem) -> None:
        self.tokens += self.cost(item)
        self.items.append(item)
        self._ordered.insert(self._place(item), item)

    def replace(self, item: ContextItem, other: ContextItem) -> None:
        """Replace an item by another form of it, of the same time."""
        for items in (self.items, self._ordered):
            place = next(at for at, each in enumerate(items) if each is item)
            items[place] = other
        self.tokens += other.tokens - item.tokens

    def remove(self, gone: ContextItem) -> None:
        """Remove an item, with a heading or date line that is no longer required."""
        retained = [item for item in self.items if item is not gone]
        self.items, self.tokens, self._ordered = [], 0, []
        for item in retained:
            self.add(item)

    def oldest_first(self) -> list[ContextItem]:
        """Return the items in order of display: those without a time first, the others by time."""
        return list(self._ordered)

    def _place(self, item: ContextItem) -> int:
        """Return an item's place in the order of display."""
        return bisect_right(self._ordered, item.place, key=lambda each: each.place)

    def text(self, first: int) -> str:
        """Return the block's text, with items numbered from `first`."""
        return self.layout.block(self.source, self.oldest_first(), first)

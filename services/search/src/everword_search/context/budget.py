"""Fill blocks within one token budget. Pure.

An item that does not fit is omitted as a whole; a smaller item after it may still fit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from uuid import UUID

from everword.domain.memory_kinds import MemoryKind
from everword.text.attribution import blank_pasted
from everword_search.context.item import ContextItem
from everword_search.context.model import ORDER, BlockSource
from everword_search.context.repetition import WordsInContext
from everword_search.context.summary_lines import without_repeated_text
from everword_search.context.text import Layout
from everword_search.endings.model import CurrentFact

#: Minimum share of a summary's text that must remain after repeated sentences are removed.
_MUCH = 0.5


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


@dataclass
class ContextDraft:
    """A context under construction: items are added one by one, most important first."""

    budget: int
    layout: Layout
    said: WordsInContext
    blocks: dict[BlockSource, BudgetedBlock] = field(init=False)
    left_out: set[UUID | str] = field(default_factory=set)
    #: Tokens reserved for blocks that are filled later, and ids of the memories that these will contain.
    reserved: int = 0
    promised: set[UUID] = field(default_factory=set)
    #: Messages that state the same as an item already in the context.
    _retold: set[UUID] = field(default_factory=set)
    #: Memories skipped because they repeat the context.
    _repeated: set[UUID] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.blocks = {source: BudgetedBlock(source, self.layout) for source in ORDER}

    @property
    def tokens(self) -> int:
        return sum(block.tokens for block in self.blocks.values())

    @property
    def ids(self) -> set[UUID]:
        """The ids of the memories in the context."""
        return {item.memory_id for item in self._items() if item.memory_id}

    @property
    def keys(self) -> set[UUID | str]:
        return {item.key for item in self._items()}

    def fill(
        self,
        source: BlockSource,
        items: Iterable[ContextItem],
        *,
        maximum: int,
        limit: int | None = None,
        verbatim: bool = False,
        alone: bool = False,
        finish: Callable[[ContextItem], ContextItem] = lambda item: item,
    ) -> list[ContextItem]:
        """Add items to a block while they fit, at most `maximum`; return those added.

        `limit` is the block's maximum of tokens. Items that repeat the context are skipped unless `verbatim`, and so
        are items whose source message is shown. An item with an outdated fact is added only together with the current
        value, which gets a line of its own if it is missing; with `alone`, the item may go without. `finish` prepares
        an item for display and is called only if the item fits unprepared.
        """
        put: list[ContextItem] = []
        for item in items:
            if len(put) >= maximum:
                break
            if item.is_withheld or self._is_source_included(item):
                continue
            if not self._fits(source, item, limit):
                self.left_out.add(item.key)
            elif not verbatim and self.said.repeats(item.says):
                self._repeated.update({item.memory_id} if item.memory_id else ())
            elif (
                shown := finish(item)
                if verbatim
                else self._without_repeated_sentences(finish(item))
            ):
                alongside = (
                    [] if alone else self._add_with_current_facts(shown, maximum - len(put) - 1)
                )
                if alongside is not None and self._fits(source, shown, limit):
                    self._add(source, shown)
                    put += [*alongside, shown]
                else:
                    self.left_out.add(item.key)
        return put

    def _without_repeated_sentences(self, item: ContextItem) -> ContextItem | None:
        """Return a summary without sentences that the context already has, and other items unchanged.

        None if too little of the summary would remain: the messages it repeats are shown themselves.
        """
        if item.about is None or item.about.kind != MemoryKind.SUMMARY:
            return item
        words = without_repeated_text(item.words, self.said.repeats)
        if len(words) < _MUCH * len(item.words):
            return None
        return item if words == item.words else self.layout.reworded(item, words)

    def _is_source_included(self, item: ContextItem) -> bool:
        """Return whether a source message of the item is shown."""
        return bool(item.source_messages) and any(
            _contains_source(told, item) for told in self._items()
        )

    def _add(self, source: BlockSource, item: ContextItem) -> None:
        """Add an item, and remove items whose source message it is."""
        if item.memory_id in self._retold:
            for block in self.blocks.values():
                for other in [each for each in block.items if _contains_source(item, each)]:
                    block.remove(other)
        self._retold.update(id_ for id_, _ in item.source_messages)
        self.blocks[source].add(item)
        says = item.says
        if source is BlockSource.CHAT_HISTORY:
            # The original of a text pasted into a turn may still be added, because it shows the author and the time.
            says = blank_pasted(says, (item.speaker,))
        self.said.add(says, item.speaker)

    def reserve(
        self, source: BlockSource, items: Iterable[ContextItem], limit: int
    ) -> set[UUID | str]:
        """Reserve the tokens of a block with these items, at most `limit`; return the keys of items that fit."""
        block = BudgetedBlock(source, self.layout)
        for item in items:
            if not item.is_withheld and block.tokens + block.cost(item) <= limit:
                block.add(item)
        self.reserved += block.tokens
        self.promised |= {item.memory_id for item in block.items if item.memory_id}
        return {item.key for item in block.items}

    def release(self) -> None:
        """Release all reservations."""
        self.reserved = 0
        self.promised.clear()

    def lacking(self, items: Iterable[ContextItem] | None = None) -> list[CurrentFact]:
        """Return the current values of outdated facts in `items`, by default all, that the context lacks.

        A value is not lacking if a reserved block will contain it.
        """
        holdings = {
            ending.current.fact_id: ending.current
            for item in (self._items() if items is None else items)
            for ending in item.endings
            if ending.current
        }
        if not holdings:
            return []
        there = self.ids | self._repeated | self.promised
        return [each for each in holdings.values() if there.isdisjoint(each.memory_ids)]

    def add_current_fact(self, holding: CurrentFact) -> ContextItem | None:
        """Add a current value as one line; return the item, or None if it does not fit or may not be shown."""
        item = self.layout.holding(holding)
        if item is None or not self._fits(BlockSource.MEMORIES, item, None):
            return None
        self._add(BlockSource.MEMORIES, item)
        return item

    def _add_with_current_facts(self, item: ContextItem, maximum: int) -> list[ContextItem] | None:
        """Add the current values that replace an item's outdated facts, if they and the item fit.

        Return the added lines; None if something does not fit.
        """
        lines = [self.layout.holding(each) for each in self.lacking([item])]
        known = [each for each in lines if each is not None]
        if not lines:
            return []
        heads = sum(self.blocks[BlockSource.MEMORIES].cost(each) for each in known)
        cost = heads + self.layout.header_tokens(item, None) + item.tokens
        left = self.budget - self.reserved - self.tokens
        if len(known) < len(lines) or len(lines) > maximum or cost > left:
            return None
        for each in known:
            self._add(BlockSource.MEMORIES, each)
        return known

    def trim(self) -> None:
        """Remove the last items while the whole text exceeds the budget.

        The whole may cost more than the sum of its lines if the tokenizer is not additive.
        """
        counter = self.layout.counter
        if counter.adds_up or any(item.is_supplied for item in self._items()):
            return
        while self.keys and counter.count(self.text()) > self.budget:
            # Memories are removed first: they are most numerous, and the last one matters least.
            order = (self.blocks[BlockSource.MEMORIES], *self.blocks.values())
            block = next(block for block in order if block.items)
            item = block.items[-1]
            block.remove(item)
            self.left_out.add(item.key)

    def _items(self) -> Iterable[ContextItem]:
        return (item for block in self.blocks.values() for item in block.items)

    def _fits(self, source: BlockSource, item: ContextItem, limit: int | None) -> bool:
        block, cost = self.blocks[source], self.blocks[source].cost(item)
        left = self.budget - self.reserved - self.tokens
        return cost <= left and (limit is None or block.tokens + cost <= limit)

    def numbered(self) -> list[tuple[BudgetedBlock, int]]:
        """Return the non-empty blocks in order, each with the number of its first item."""
        numbered, first = list[tuple[BudgetedBlock, int]](), 1
        for block in self.blocks.values():
            if block.items:
                numbered.append((block, first))
                first += len(block.items)
        return numbered

    def text(self) -> str:
        """Return all blocks as one text, with items numbered consecutively."""
        return self.layout.separator.join(block.text(first) for block, first in self.numbered())


def _contains_source(message: ContextItem, other: ContextItem) -> bool:
    """Return whether a shown message contains a quote that is a source of the other item."""
    return any(
        id_ == message.memory_id and _spaced(said) in _spaced(message.words)
        for id_, said in other.source_messages
    )


def _spaced(text: str) -> str:
    return " ".join(text.split())

"""Fill blocks within one token budget. Pure.

A long memory enters with the part that matched, and grows at the end if tokens are left. An item that does not fit is
omitted; a smaller item after it may still fit, except in the queue of a block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from uuid import UUID

from everword.text.attribution import blank_pasted
from everword.text.sections import SECTION_CHARS
from everword_search.context.block_queue import BlockQueue
from everword_search.context.budgeted_block import BudgetedBlock
from everword_search.context.item import RELEVANT, ContextItem
from everword_search.context.item_forms import grow, shorten
from everword_search.context.model import ORDER, BlockSource, ContextCandidate
from everword_search.context.repetition import WordsInContext
from everword_search.context.summary_lines import without_repeated_text
from everword_search.context.text import Layout
from everword_search.endings.model import CurrentFact

#: Minimum share of a summary's text that must remain after repeated sentences are removed.
MUCH = 0.5
#: Part of the available tokens that one item may take at first; the others follow before it grows.
_PLACE = 10
#: Tokens of an excerpt at first, and minimum by which an item grows: a short sentence.
_EXCERPT_TOKENS, _LEAST_GROWTH = 60, 5


@dataclass
class ContextDraft:
    """A context under construction: items are added one by one, most important first."""

    budget: int
    layout: Layout
    said: WordsInContext
    blocks: dict[BlockSource, BudgetedBlock] = field(init=False)
    #: Items that did not fit: for each key, the text by which repetitions are recognised.
    left_out: dict[UUID | str, str] = field(default_factory=dict)
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

        A long item is added as a section, or as a shorter part if that takes too much of the available tokens; an item
        that does not fit is added as an excerpt. `limit`
        is the block's maximum of tokens. Items that repeat the context are skipped unless `verbatim`, and so are items
        whose source message is shown. An item with an outdated fact is added only together with the current value,
        which gets a line of its own if it is missing; with `alone`, the item may go without. `finish` prepares an item
        for display and is called only if the item fits unprepared.
        """
        put: list[ContextItem] = []
        for item in items:
            if len(put) >= maximum:
                break
            if item.is_withheld or self._is_source_included(item):
                continue
            fits = self._fits(source, item, limit)
            if not fits and not self._shortened(source, item, limit, verbatim):
                self._leave_out(item)
                continue
            if not verbatim and self.said.repeats(item.says):
                self._repeated.update({item.memory_id} if item.memory_id else ())
                continue
            finished = finish(item)
            if not self._fits(source, finished, limit):
                finished = self._shortened(source, finished, limit, verbatim) or finished
            grown = self._in_its_place(source, finished, limit)
            shown = grown if verbatim else self._without_repeated_sentences(grown)
            if shown and not shown.is_withheld:
                alongside = (
                    [] if alone else self._add_with_current_facts(shown, maximum - len(put) - 1)
                )
                if alongside is not None and self._fits(source, shown, limit):
                    self._add(source, shown)
                    put += [*alongside, shown]
                else:
                    self._leave_out(item)
        return put

    def _shortened(
        self, source: BlockSource, item: ContextItem, limit: int | None, verbatim: bool
    ) -> ContextItem | None:
        """Return an excerpt of an item that does not fit; None if there is none.

        Others can follow it, unless `verbatim`: then it is as long as fits. In the chat history, long turns leave most
        of the tokens to others.
        """
        available = self._available(source, limit, item)
        if source is BlockSource.CHAT_HISTORY:
            return shorten(self.layout, item, available // _PLACE)
        few = available if verbatim else min(available, _EXCERPT_TOKENS)
        return shorten(self.layout, item, few) or shorten(self.layout, item, available)

    def _leave_out(self, item: ContextItem) -> None:
        """Count an item as left out, unless it has nothing to do with the query."""
        if item.relevance is None or item.relevance >= RELEVANT:
            self.left_out[item.key] = item.says

    def fill_from(self, queue: BlockQueue, limit: int | None = None) -> None:
        """Add the items of a queue in order, at most `limit` tokens in all; shorten the first one that does not fit.

        An item that has no shorter form, and would not fit into the limit alone, is postponed.
        """
        block = self.blocks[queue.source]
        if limit is None:
            queue.restore_postponed()
        if queue.shortened and not self._continue_shortened(queue, limit):
            return
        while (item := queue.next()) is not None:
            available = self._left(queue, limit) - block.cost(item) + item.tokens
            if not self._is_wanted(queue, item):
                queue.advance()
                continue
            if item.tokens > available:
                queue.shortened = shorten(self.layout, item, available)
                if queue.shortened is None:
                    if item.full is None and item.tokens > (
                        self.budget if limit is None else limit
                    ):
                        queue.postpone()
                        continue
                    return
                item = queue.shortened
            before = block.tokens
            self._add(queue.source, item)
            queue.used += block.tokens - before
            queue.advance()
            if queue.shortened:
                return

    def _is_wanted(self, queue: BlockQueue, item: ContextItem) -> bool:
        """Return whether the next item of a queue adds something to the context."""
        if item.is_withheld or item.key in self.keys or self._is_source_included(item):
            return False
        if not queue.verbatim and self.said.repeats(item.says):
            self._repeated.update({item.memory_id} if item.memory_id else ())
            return False
        return True

    def _continue_shortened(self, queue: BlockQueue, limit: int | None) -> bool:
        """Grow the shortened item of a queue; return whether it is whole, so that others may follow."""
        item = queue.shortened
        assert item is not None
        block = self.blocks[queue.source]
        if not any(each is item for each in block.items):
            queue.shortened = None
            return True
        grown = grow(self.layout, item, item.tokens + self._left(queue, limit))
        if grown is not item:
            queue.used += grown.tokens - item.tokens
            self._replace(block, item, grown)
        queue.shortened = grown if grown.is_shortened else None
        return queue.shortened is None

    def _left(self, queue: BlockQueue, limit: int | None) -> int:
        left = self.budget - self.reserved - self.tokens
        return left if limit is None else min(left, limit - queue.used)

    def leave_out(self, queue: BlockQueue) -> list[ContextCandidate]:
        """Count the items of a queue that did not fit as left out; return their candidates."""
        there = self.keys
        missing = [
            each
            for each in queue.waiting
            if each.key not in there and not self.said.repeats(f"{each.label}: {each.words}")
        ]
        self.left_out |= {each.key: f"{each.label}: {each.words}" for each in missing}
        return missing

    def widen(self) -> None:
        """Grow shortened items while tokens are left, the most relevant first: to sections, then to the whole text."""
        for max_chars in (SECTION_CHARS, None):
            shortened = [
                (block, item)
                for block in self.blocks.values()
                for item in block.items
                if item.is_shortened and item.full
            ]
            for block, item in sorted(shortened, key=lambda each: -(each[1].relevance or 0.0)):
                left = self.budget - self.tokens
                if left < _LEAST_GROWTH:
                    return
                if all(each is not item for each in block.items):
                    continue
                grown = grow(self.layout, item, item.tokens + left, max_chars)
                if grown is not item:
                    self._replace(block, item, grown)

    def _in_its_place(
        self, source: BlockSource, item: ContextItem, limit: int | None
    ) -> ContextItem:
        """Return an item as a section, or shorter if that takes more than its part of the available tokens."""
        if not item.is_shortened:
            return item
        place = self._available(source, limit, item) // _PLACE
        return grow(self.layout, item, place, SECTION_CHARS)

    def _replace(self, block: BudgetedBlock, item: ContextItem, grown: ContextItem) -> None:
        """Replace an item by a longer form of it, and remove items whose source message it now shows."""
        block.replace(item, grown)
        self._remove_restated(grown)
        self.said.add(grown.says, grown.speaker)

    def _without_repeated_sentences(self, item: ContextItem) -> ContextItem | None:
        """Return a summary without sentences that the context already has, and other items unchanged.

        None if too little of the summary would remain: the messages it repeats are shown themselves.
        """
        if not item.is_summary:
            return item
        words = without_repeated_text(item.words, self.said.repeats)
        if len(words) < MUCH * len(item.words):
            return None
        return item if words == item.words else self.layout.reworded(item, words)

    def forget_repetitions_left_out(self) -> None:
        """Stop counting items that are in the context, or repeat it, as left out."""
        there = self.keys
        self.left_out = {
            key: text
            for key, text in self.left_out.items()
            if key not in there and not self.said.repeats(text)
        }

    def _is_source_included(self, item: ContextItem) -> bool:
        """Return whether a source message of the item is shown."""
        return bool(item.source_messages) and any(
            _contains_source(told, item) for told in self._items()
        )

    def _add(self, source: BlockSource, item: ContextItem) -> None:
        """Add an item, and remove items whose source message it is."""
        self._remove_restated(item)
        self._retold.update(id_ for id_, _ in item.source_messages)
        self.blocks[source].add(item)
        says = item.says
        if source is BlockSource.CHAT_HISTORY:
            # The original of a text pasted into a turn may still be added, because it shows the author and the time.
            says = blank_pasted(says, (item.speaker,))
        self.said.add(says, item.speaker)

    def _remove_restated(self, item: ContextItem) -> None:
        """Remove the items whose source message an item shows."""
        if item.memory_id in self._retold:
            for block in self.blocks.values():
                for other in [each for each in block.items if _contains_source(item, each)]:
                    block.remove(other)

    def needed(self, queue: BlockQueue, most: int) -> tuple[int, set[UUID | str]]:
        """Return the tokens that a queue needs, at most `most`, and the keys of the items that fit into them."""
        block, keys = BudgetedBlock(queue.source, self.layout), set[UUID | str]()
        for item in queue.items():
            if block.tokens >= most:
                break
            if not item.is_withheld:
                block.add(item)
                keys |= {item.key} if block.tokens <= most else set()
        return min(block.tokens, most), keys

    def release(self) -> None:
        """Release all reservations."""
        self.reserved = 0
        self.promised.clear()

    def lacking(self, items: Iterable[ContextItem] | None = None) -> list[CurrentFact]:
        """Return the current values of outdated facts in `items`, by default all, that the context lacks.

        A value is not lacking if a reserved block will contain it.
        """
        holdings = {
            ending.current.fact_id or ending.current.memory_ids[0]: ending.current
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
            self._leave_out(item)

    def _items(self) -> Iterable[ContextItem]:
        return (item for block in self.blocks.values() for item in block.items)

    def _fits(self, source: BlockSource, item: ContextItem, limit: int | None) -> bool:
        return item.tokens <= self._available(source, limit, item)

    def _available(self, source: BlockSource, limit: int | None, item: ContextItem) -> int:
        """Return the tokens available for an item itself, without a heading or day line that it requires."""
        block, left = self.blocks[source], self.budget - self.reserved - self.tokens
        left = left if limit is None else min(left, limit - block.tokens)
        return left - block.cost(item) + item.tokens

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

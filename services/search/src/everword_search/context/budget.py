"""Divides a token budget between recent turns and memories. Pure.

Recent turns come first, up to half of the budget: without them an agent loses the thread. Memories get the rest, and
what they leave goes back to turns that did not fit before. What does not fit is skipped whole, and a smaller item after
it may still fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from everword_search.context.text import Item, count_tokens

MEMORIES_HEADING = "## Relevant memories"
TURNS_HEADING = "## Recent turns"
#: Between two blocks.
SEPARATOR = "\n\n"


@dataclass
class Block:
    """A heading and what stands below it; without items it costs nothing and is left out."""

    heading: str
    items: list[Item] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        if not self.items:
            return 0
        return self._heading_tokens + sum(item.tokens for item in self.items)

    @property
    def text(self) -> str:
        return "\n".join((self.heading, *(item.text for item in self.items)))

    @property
    def _heading_tokens(self) -> int:
        return count_tokens(f"{self.heading}\n{SEPARATOR}")

    def fill(self, items: Sequence[Item], budget: int, most: int) -> list[Item]:
        """Add what fits into `budget` tokens, up to `most` items in all; returns what was tried and did not fit."""
        left_out = []
        for item in items:
            if len(self.items) >= most:
                break
            heading = 0 if self.items else self._heading_tokens
            if self.tokens + heading + item.tokens <= budget:
                self.items.append(item)
            else:
                left_out.append(item)
        return left_out


@dataclass(frozen=True)
class Plan:
    """The items that go into a context."""

    memories: Block
    #: Its items are oldest first.
    turns: Block
    omitted: int

    @property
    def tokens(self) -> int:
        return self.memories.tokens + self.turns.tokens


def divide_budget(
    budget: int, turns: Sequence[Item], memories: Sequence[Item], max_memories: int
) -> Plan:
    """Return what fits into `budget` tokens. `turns` are newest first, `memories` best first."""
    recent = Block(TURNS_HEADING)
    relevant = Block(MEMORIES_HEADING)
    waiting = recent.fill(turns, budget // 2, len(turns))
    skipped = relevant.fill(memories, budget - recent.tokens, max_memories)
    left_out = recent.fill(waiting, budget - relevant.tokens, len(turns))
    places = {item.memory_id: place for place, item in enumerate(turns)}
    recent.items.sort(key=lambda item: places[item.memory_id], reverse=True)
    return Plan(relevant, recent, len(skipped) + len(left_out))

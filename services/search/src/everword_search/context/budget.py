"""Divides a token budget between recent turns and memories. Pure.

Recent turns come first, up to half of the budget: without them an agent loses the thread. Memories get the rest, and
what they leave goes back to turns that did not fit before. What does not fit is skipped whole, and a smaller item after
it may still fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from everword_search.context.text import Item, count_tokens

MEMORIES_HEADING = "## Relevant memories"
TURNS_HEADING = "## Recent turns"
#: Between two blocks.
SEPARATOR = "\n\n"
#: The line above the items of a day.
DAY_TOKENS = count_tokens("2000-01-01\n")


@dataclass
class Block:
    """A heading and, day by day, what stands below it; without items it costs nothing and is left out."""

    heading: str
    items: list[Item] = field(default_factory=list)
    tokens: int = 0
    _days: set[str] = field(default_factory=set)

    def fill(self, items: Sequence[Item], budget: int, most: int) -> list[Item]:
        """Add what fits into `budget` tokens, up to `most` items in all; returns what was tried and did not fit."""
        left_out = []
        for item in items:
            if len(self.items) >= most:
                break
            heading = 0 if self.items else count_tokens(f"{self.heading}\n{SEPARATOR}")
            day = 0 if item.day in self._days else DAY_TOKENS
            if self.tokens + heading + day + item.tokens <= budget:
                self.items.append(item)
                self.tokens += heading + day + item.tokens
                self._days.add(item.day)
            else:
                left_out.append(item)
        return left_out

    def oldest_first(self) -> list[Item]:
        return sorted(self.items, key=lambda item: (item.occurred_at, item.seq))

    def text(self, first: int) -> str:
        """Return the block as text: a line for each day, and below it the items, numbered from `first`."""
        parts, day = [self.heading], ""
        for number, item in enumerate(self.oldest_first(), first):
            if item.day != day:
                day = item.day
                parts.append(day)
            parts.append(item.line(number))
        return "\n".join(parts)


def fill_turns(budget: int, turns: Sequence[Item]) -> tuple[Block, list[Item]]:
    """Return the turns that fit into half of the budget, newest first, and those that do not."""
    recent = Block(TURNS_HEADING)
    return recent, recent.fill(turns, budget // 2, len(turns))


def fill_memories(
    budget: int,
    recent: Block,
    waiting: Sequence[Item],
    memories: Sequence[Item],
    most: int,
    finish: Callable[[Item], Item] = lambda item: item,
) -> tuple[Block, int]:
    """Return the memories that fit beside the turns, best first, and how many items are left out.

    What they leave goes to turns that wait, unless these are among them. `finish` makes of a memory what is shown, for
    those alone that fit as they are.
    """
    draft, relevant = Block(MEMORIES_HEADING), Block(MEMORIES_HEADING)
    skipped = draft.fill(memories, budget - recent.tokens, most)
    skipped += relevant.fill(list(map(finish, draft.items)), budget - recent.tokens, most)
    there = {item.memory_id for item in relevant.items}
    wanted = [item for item in waiting if item.memory_id not in there]
    left_out = recent.fill(wanted, budget - relevant.tokens, len(recent.items) + len(wanted))
    return relevant, len({item.memory_id for item in (*skipped, *left_out)})

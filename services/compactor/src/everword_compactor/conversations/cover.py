"""The summaries that replace a conversation: the highest trusted ones, at most one for each position."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword_compactor.conversations.model import NodeRange


@dataclass(frozen=True)
class Cover:
    """Summaries that cover a conversation up to a position, in order."""

    stretches: Sequence[NodeRange]
    #: Last covered position; 0 without summaries.
    through: int
    #: Places before it under no trusted summary: from the first to the last.
    gaps: Sequence[tuple[int, int]]


def cover(stretches: Sequence[NodeRange]) -> Cover:
    """Choose among the nodes of a conversation, given in the order of their first positions.

    A node that needs review is replaced by its children, and so is one that reaches too far and is missing here. A leaf
    that needs review leaves a gap.
    """
    known = {stretch.id for stretch in stretches}
    below: dict[UUID | None, list[NodeRange]] = defaultdict(list)
    for stretch in stretches:
        below[stretch.parent_id if stretch.parent_id in known else None].append(stretch)
    chosen: list[NodeRange] = []

    def choose(node_range: NodeRange) -> None:
        if not node_range.needs_review:
            chosen.append(node_range)
            return
        for child in below[node_range.id]:
            choose(child)

    for top in below[None]:
        choose(top)
    chosen.sort(key=lambda stretch: stretch.first_seq)
    gaps, place = [], 0
    for stretch in chosen:
        if stretch.first_seq > place + 1:
            gaps.append((place + 1, stretch.first_seq - 1))
        place = stretch.last_seq
    return Cover(chosen, place, gaps)

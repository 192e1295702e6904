"""The summaries that stand for a conversation: the highest that can be trusted, each place under one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword_compactor.conversations.model import Stretch


@dataclass(frozen=True)
class Cover:
    """Summaries that stand for a conversation up to a place, in order."""

    stretches: Sequence[Stretch]
    #: Up to which place they do; 0 where there are none.
    through: int
    #: Places before it under no trusted summary: from the first to the last.
    gaps: Sequence[tuple[int, int]]


def cover(stretches: Sequence[Stretch]) -> Cover:
    """Choose among the nodes of a conversation, in the order of their first places.

    A node that needs review gives way to those below it, and so does one that reaches too far and is missing here. A
    leaf that needs review leaves a gap.
    """
    known = {stretch.id for stretch in stretches}
    below: dict[UUID | None, list[Stretch]] = defaultdict(list)
    for stretch in stretches:
        below[stretch.parent_id if stretch.parent_id in known else None].append(stretch)
    chosen: list[Stretch] = []

    def choose(stretch: Stretch) -> None:
        if not stretch.needs_review:
            chosen.append(stretch)
            return
        for child in below[stretch.id]:
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

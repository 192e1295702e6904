"""The result of building a context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword.lore.model import Omission
from everword_search.context.budgeted_block import BudgetedBlock
from everword_search.retrieval.arms.base import ArmReport
from everword_search.retrieval.model import Verdict


@dataclass(frozen=True)
class BuiltContext:
    """A finished context and its parts."""

    #: Each with the number of its first item.
    blocks: Sequence[tuple[BudgetedBlock, int]]
    text: str
    tokens: int
    omitted: int
    verdict: Verdict | None
    #: Arms of the memory search that failed.
    degraded: Sequence[ArmReport]
    #: Lorebook entries that may be missing.
    lore_omissions: Sequence[Omission]
    #: Number of items of which a part is shown.
    shortened: int

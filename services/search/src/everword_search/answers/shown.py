"""A memory as a model is shown it: with what it says and does not hold any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

from everword.domain.records import MemoryRecord
from everword_search.endings.marks import marks_of
from everword_search.endings.model import Ending


@dataclass(frozen=True)
class Shown:
    """A memory, and its endings, the latest first."""

    memory: MemoryRecord
    endings: Sequence[Ending] = ()

    @property
    def superseded(self) -> list[dict[str, str]]:
        """What does not hold any more, and the day of that: `{"attribute": "residence", "until": "2024-06-15"}`."""
        return [
            {"attribute": mark.attribute, mark.how: str(mark.ended_at.astimezone(UTC).date())}
            for mark in marks_of(self.endings)
        ]

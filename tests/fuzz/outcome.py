"""Outcome of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Outcome of a run."""

    seed: int
    calls: int = 0
    #: Answers by RPC and code.
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: Violations, with the request that caused them.
    faults: list[str] = field(default_factory=list)
    #: RPCs without any answered call: their requests were all refused early.
    unanswered: set[str] = field(default_factory=set)
    #: Megabytes of each service after the warm-up and at the end.
    memory_mb: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Seconds of all health checks.
    health_s: list[float] = field(default_factory=list)

    @property
    def growth(self) -> float:
        return max(after / before for before, after in self.memory_mb.values())

    def health_quantile(self, share: float) -> float:
        return sorted(self.health_s)[int(share * (len(self.health_s) - 1))]

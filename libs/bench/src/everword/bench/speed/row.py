"""A figure with its floor and its goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Floor:
    """The best that the machine could do, in the unit of the figure, taken in the same run."""

    value: float
    #: Description of the floor, such as `COPY of the same rows`.
    of: str


@dataclass(frozen=True)
class Row:
    """One figure of one scale."""

    id: str
    #: Memories in the namespace.
    scale: int
    value: float
    unit: str
    floor: Floor
    #: Other observations: percentiles, parts, counts.
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """The figure divided by its floor; None if the floor is 0."""
        return self.value / self.floor.value if self.floor.value else None

    def document(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "scale": self.scale,
            "value": self.value,
            "unit": self.unit,
            "floor": self.floor.value,
            "ratio": self.ratio,
            "floor_of": self.floor.of,
            "details": dict(self.details),
        }


@dataclass(frozen=True)
class FigureGoal:
    """The goal for a figure on 2 cores."""

    what: str
    wanted: str
    #: True if a higher figure is better.
    more: bool = False


#: The figures of the issue, in its order, then what explains them.
TARGETS = {
    "ingest_b100_c4": FigureGoal(
        "batches of 100, 4 callers", "≥ 6000, ≥ .35 of the floor", more=True
    ),
    "ingest_b1": FigureGoal("batches of 1, p50", "≤ 6"),
    "ingest_growth": FigureGoal("cost of a message, full over empty", "≤ 1.3"),
    "search_hybrid_100k": FigureGoal("hybrid search, p50", "p50 ≤ 10, p95 ≤ 25, ≤ 2 floors"),
    "search_hybrid_1m": FigureGoal("hybrid search, p50", "p50 ≤ 40, p95 ≤ 100"),
    "search_hybrid_1000x1000": FigureGoal("hybrid search over many namespaces, p50", "≤ 8"),
    "lexical_exact_1m": FigureGoal(
        "share of the true top 10 by BM25", "1.0, ≥ .98 at 1M", more=True
    ),
    "semantic_recall": FigureGoal("recall@10, the worst scope", "≥ .98", more=True),
    "search_load_100k": FigureGoal("searches sustained, p95 ≤ 60 ms", "≥ 150", more=True),
    "embed_drain": FigureGoal("vectors made in the background", "≥ .90 of the floor", more=True),
    "import_embedded": FigureGoal(
        "messages imported until they have vectors", "≥ .8 of the floor", more=True
    ),
    "search_under_changes": FigureGoal("hybrid search while 1 % changes, p95", "≤ 1.2 floors"),
    "context_100k": FigureGoal("BuildContext of 4,000 tokens, p95", "≤ 60"),
    "memory_1m": FigureGoal("resident, the largest service", "≤ 200, workers ≤ 250"),
    "startup": FigureGoal("ready after its dependencies, the slowest", "≤ 2"),
    "compact_drain": FigureGoal("messages summed up by a model, 1 worker", "", more=True),
    "compact_extractive": FigureGoal("messages summed up without a model, 1 worker", "", more=True),
    "ingest_b100_c1": FigureGoal("batches of 100, 1 caller", "", more=True),
    "ingest_b100_c16": FigureGoal("batches of 100, 16 callers", "", more=True),
    "ingest_b1000_c4": FigureGoal("batches of 1,000, 4 callers", "", more=True),
    "search_lexical": FigureGoal("lexical search, p50", ""),
    "search_semantic": FigureGoal("semantic search, p50", ""),
    "search_trigram": FigureGoal("trigram search, p50", ""),
    "search_selective": FigureGoal("hybrid search of the smallest scope, p50", ""),
    "browse": FigureGoal("newest page of 50, p50", ""),
    "disk_per_message": FigureGoal("all tables and indexes, over messages", ""),
}
IDS = tuple(TARGETS)

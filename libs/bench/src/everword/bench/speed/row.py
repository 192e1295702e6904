"""A figure beside its floor, and what is wanted of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Floor:
    """The best that the machine could do, in the unit of the figure, taken in the same run."""

    value: float
    #: What was measured, such as `COPY of the same rows`.
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
    #: What else was seen: percentiles, parts, counts.
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """The figure over its floor; None where the floor is nothing."""
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
class Target:
    """The goal for a figure on 2 cores."""

    what: str
    wanted: str
    #: Whether a higher figure is better.
    more: bool = False


#: The figures of the issue, in its order, then what explains them.
TARGETS = {
    "ingest_b100_c4": Target("batches of 100, 4 callers", "≥ 6000, ≥ .35 of the floor", more=True),
    "ingest_b1": Target("batches of 1, p50", "≤ 6"),
    "ingest_growth": Target("cost of a message, full over empty", "≤ 1.3"),
    "search_hybrid_100k": Target("hybrid search, p50", "p50 ≤ 10, p95 ≤ 25, ≤ 2 floors"),
    "search_hybrid_1m": Target("hybrid search, p50", "p50 ≤ 40, p95 ≤ 100"),
    "search_hybrid_1000x1000": Target("hybrid search over many namespaces, p50", "≤ 8"),
    "lexical_exact_1m": Target("share of the true top 10 by BM25", "1.0, ≥ .98 at 1M", more=True),
    "semantic_recall": Target("recall@10, the worst scope", "≥ .98", more=True),
    "search_load_100k": Target("searches sustained, p95 ≤ 60 ms", "≥ 150", more=True),
    "embed_drain": Target("vectors made in the background", "≥ .90 of the floor", more=True),
    "import_embedded": Target(
        "messages imported until they have vectors", "≥ .8 of the floor", more=True
    ),
    "search_under_changes": Target("hybrid search while 1 % changes, p95", "≤ 1.2 floors"),
    "context_100k": Target("BuildContext of 4,000 tokens, p95", "≤ 60"),
    "memory_1m": Target("resident, the largest service", "≤ 200, workers ≤ 250"),
    "startup": Target("ready after its dependencies, the slowest", "≤ 2"),
    "compact_drain": Target("messages summed up by a model, 1 worker", "", more=True),
    "compact_extractive": Target("messages summed up without a model, 1 worker", "", more=True),
    "ingest_b100_c1": Target("batches of 100, 1 caller", "", more=True),
    "ingest_b100_c16": Target("batches of 100, 16 callers", "", more=True),
    "ingest_b1000_c4": Target("batches of 1,000, 4 callers", "", more=True),
    "search_lexical": Target("lexical search, p50", ""),
    "search_semantic": Target("semantic search, p50", ""),
    "search_trigram": Target("trigram search, p50", ""),
    "search_selective": Target("hybrid search of the smallest scope, p50", ""),
    "browse": Target("newest page of 50, p50", ""),
    "disk_per_message": Target("all tables and indexes, over messages", ""),
}
IDS = tuple(TARGETS)

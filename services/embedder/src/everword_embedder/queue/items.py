"""Passages in work, and whose they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from everword_embedder.queue.store import PendingVector


@dataclass(frozen=True)
class Item:
    """A passage in work."""

    pending: PendingVector
    text: str


def by_share(items: Sequence[Item], few: int) -> tuple[list[Item], list[Item]]:
    """Return the passages of namespaces with up to `few` in a batch, which wait for nobody's many, and the others."""
    shares = Counter(item.pending.namespace_id for item in items)
    of_few = [item for item in items if shares[item.pending.namespace_id] <= few]
    return of_few, [item for item in items if shares[item.pending.namespace_id] > few]

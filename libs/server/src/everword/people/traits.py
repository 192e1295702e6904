"""Styles of communication: their dimensions, and the effect of a new assessment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from uuid import UUID

from everword.people.model import MessageWords

#: Dimensions of communication with the values that each may have.
DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "directness": ("direct", "balanced", "indirect"),
    "formality": ("formal", "neutral", "casual"),
    "humour": ("none", "dry", "playful", "ironic"),
    "length": ("brief", "medium", "detailed"),
    "emotion": ("reserved", "balanced", "expressive"),
    "technicality": ("plain", "mixed", "technical"),
}
#: A style shows in more than one message.
LEAST_MESSAGES = 2


@dataclass(frozen=True)
class Trait:
    """A dimension with its value, and the words that show it."""

    dimension: str
    value: str
    said: Sequence[MessageWords]

    @property
    def first_seen_at(self) -> datetime:
        return min(each.said_at for each in self.said)

    @property
    def last_seen_at(self) -> datetime:
        return max(each.said_at for each in self.said)


@dataclass(frozen=True)
class CurrentTrait:
    """A value that is held of a dimension now."""

    id: UUID
    dimension: str
    value: str
    held_from: datetime
    last_seen_at: datetime
    supporting: int


class Effect(Enum):
    """The effect of an assessment on the current value."""

    #: Nothing was held: it is, from now on.
    BEGIN = 1
    #: The same is held: it has more evidence.
    SUPPORT = 2
    #: Another value was held: that ends, and this one begins.
    REPLACE = 3
    #: It says less than is known, or is older.
    IGNORE = 4


def find_effect(trait: Trait, current: CurrentTrait | None) -> Effect:
    """Return what an assessment changes. It shows in two messages at least, and the newest words count."""
    if trait.value not in DIMENSIONS.get(trait.dimension, ()):
        return Effect.IGNORE
    if current is not None and current.value == trait.value:
        return Effect.SUPPORT
    if len({each.message_id for each in trait.said}) < LEAST_MESSAGES:
        return Effect.IGNORE
    if current is None:
        return Effect.BEGIN
    newer = trait.last_seen_at > current.last_seen_at
    return Effect.REPLACE if newer and trait.last_seen_at > current.held_from else Effect.IGNORE

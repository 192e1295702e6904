"""Decide which facts a trusted source supports or contradicts, from the evidence of each.

Channel policies change, so the result is not stored; it is computed with the policy at the time of the write.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from everword.domain.trust import TrustPolicy
from everword.facts.model import FactSource


class EvidenceOrigin(Protocol):
    """The origin of a piece of evidence."""

    @property
    def source(self) -> int: ...
    @property
    def channel(self) -> str: ...
    @property
    def role(self) -> int: ...
    @property
    def tool_name(self) -> str: ...


@dataclass(frozen=True)
class VoiceRow:
    """An origin of evidence for or against a fact; one row for all evidence with this origin."""

    fact_id: UUID
    contradicts: bool
    source: int
    #: These three are empty or 0 if the evidence names no message.
    channel: str
    role: int
    tool_name: str


@dataclass(frozen=True)
class EvidencedFacts:
    """The facts for or against which there is trusted evidence."""

    #: Facts with trusted evidence for them, and facts that a person confirmed.
    supported: frozenset[UUID] = frozenset()
    #: Facts with trusted evidence for or against them, and facts that a person confirmed or corrected.
    addressed: frozenset[UUID] = frozenset()

    def with_supported(self, fact_id: UUID) -> EvidencedFacts:
        return EvidencedFacts(self.supported | {fact_id}, self.addressed | {fact_id})


def is_trusted(voice: EvidenceOrigin, trust: TrustPolicy) -> bool:
    """Return whether evidence is trusted: by its message, or because a person confirmed it."""
    if voice.source == FactSource.PERSON:
        return True
    return not trust.is_untrusted(voice.channel, voice.role, voice.tool_name)


def weigh_voices(rows: Iterable[VoiceRow], trust: TrustPolicy) -> EvidencedFacts:
    """Return the facts that trusted evidence supports or contradicts."""
    trusted = [row for row in rows if is_trusted(row, trust)]
    supported = frozenset(row.fact_id for row in trusted if not row.contradicts)
    return EvidencedFacts(supported, frozenset(row.fact_id for row in trusted))

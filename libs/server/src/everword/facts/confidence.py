"""Confidence of a fact from its evidence, and what state follows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from everword.facts.model import FactRuling, FactSource, FactState, SleepVerdict

#: Weight of a piece of evidence by its source; a guess weighs a third.
_WEIGHTS = {
    FactSource.STATED: 1.0,
    FactSource.INFERRED: 0.5,
    FactSource.AGENT: 1.5,
    FactSource.PERSON: 6.0,
}
_HYPOTHESIS = 1 / 3
#: All untrusted evidence together weighs half of its weightiest piece, since an attacker may repeat a message.
_UNTRUSTED = 0.5
#: Weight of a repetition in the same conversation, which is hardly independent.
_AGAIN = 0.2
#: Conversations in which something is stated until it is confirmed.
_CONFIRMING = 2
#: Last part of the expected lifetime in which a fact loses weight, and the loss.
_LAST_PART, _LOST = 0.25, 0.5


@dataclass(frozen=True)
class WeighedEvidence:
    """A piece of evidence, as it counts."""

    #: Each piece of evidence outside any conversation (None) is independent.
    conversation_id: UUID | None
    contradicts: bool
    source: FactSource
    hypothesis: bool = False
    is_trusted: bool = True

    @property
    def weight(self) -> float:
        return _WEIGHTS[self.source] * (_HYPOTHESIS if self.hypothesis else 1.0)


@dataclass(frozen=True)
class MaturityTier:
    """How mature a fact is: how long it is known, and by how many pieces of evidence; then it lives on so long."""

    days: int
    evidence: int
    lifetime_days: int


#: From Riverse: 730 days with 10 pieces, 365 with 6, 90 with 3.
_TIERS = (MaturityTier(730, 10, 730), MaturityTier(365, 6, 365), MaturityTier(90, 3, 180))
#: Anchors of a life mature sooner, by this factor.
_ANCHOR = 0.6


def confidence(evidence: Iterable[WeighedEvidence]) -> float:
    """Return p / (p + c + 1), with the weight of evidence for a fact and against it.

    That is the share of the evidence that is for it, with one doubt counted before the first piece. It rises with each
    piece for it, most with one from another conversation, and falls with each against it. Untrusted evidence counts
    only for a fact without trusted evidence.
    """
    pieces = counting(evidence)
    supporting = _weigh(each for each in pieces if not each.contradicts)
    contradicting = _weigh(each for each in pieces if each.contradicts)
    return supporting / (supporting + contradicting + 1)


def counting(evidence: Iterable[WeighedEvidence]) -> list[WeighedEvidence]:
    """Return the evidence that counts: all of it, unless trusted evidence supports the fact; then only trusted."""
    pieces = list(evidence)
    is_supported = any(each.is_trusted and not each.contradicts for each in pieces)
    return [each for each in pieces if each.is_trusted] if is_supported else pieces


def find_state(
    evidence: Iterable[WeighedEvidence],
    ruling: FactRuling | None,
    is_believed: bool,
    holds_now: bool,
    maturity: MaturityTier | None,
    verdict: SleepVerdict | None = None,
) -> FactState:
    """Return the state of a fact. `is_believed` is True if it is believed to be valid at any time."""
    if ruling is FactRuling.WRONG or (verdict is SleepVerdict.REJECTED and ruling is None):
        return FactState.REJECTED
    if is_believed and not holds_now:
        return FactState.CLOSED
    supporting = [each for each in evidence if not each.contradicts]
    pieces = [each for each in supporting if each.is_trusted]
    if supporting and not pieces and ruling is None:
        return FactState.SUSPECTED
    if maturity is not None:
        return FactState.ESTABLISHED
    written = any(each.source >= FactSource.AGENT and not each.hypothesis for each in pieces)
    stated = {
        each.conversation_id
        for each in pieces
        if each.source is FactSource.STATED and not each.hypothesis
    }
    decided = ruling is FactRuling.RIGHT or verdict is SleepVerdict.CONFIRMED
    confirmed = decided or written or len(stated) >= _CONFIRMING
    return FactState.CONFIRMED if confirmed else FactState.SUSPECTED


def find_maturity(
    first_seen_at: datetime, last_seen_at: datetime, supporting: int, is_anchor: bool
) -> MaturityTier | None:
    """Return the highest tier that a fact has reached."""
    factor = _ANCHOR if is_anchor else 1.0
    known = last_seen_at - first_seen_at
    for tier in _TIERS:
        if known >= timedelta(days=tier.days * factor) and supporting >= math.ceil(
            tier.evidence * factor
        ):
            return tier
    return None


def find_weight(
    confidence_: float, last_seen_at: datetime, lifetime_days: int, now: datetime
) -> float:
    """Return the confidence, up to half of it lost in the last quarter of the expected lifetime."""
    age = (now - last_seen_at) / timedelta(days=lifetime_days)
    past = min(1.0, max(0.0, (age - (1 - _LAST_PART)) / _LAST_PART))
    return confidence_ * (1 - _LOST * past)


def _weigh(pieces: Iterable[WeighedEvidence]) -> float:
    """Return the weight of pieces: of each conversation the weightiest piece in full, and a fifth of the others."""
    by_conversation: dict[object, list[float]] = defaultdict(list)
    untrusted = 0.0
    for number, each in enumerate(pieces):
        if each.is_trusted:
            by_conversation[each.conversation_id or number].append(each.weight)
        else:
            untrusted = max(untrusted, _UNTRUSTED * each.weight)
    return untrusted + sum(
        max(weights) + _AGAIN * (sum(weights) - max(weights))
        for weights in by_conversation.values()
    )

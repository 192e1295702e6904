"""Derives the state of a fact from its evidence and its believed intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from everword.domain.trust import TrustPolicy
from everword.facts.attributes import find_attribute
from everword.facts.confidence import WeighedEvidence, confidence, find_maturity, find_state
from everword.facts.model import FactRuling, FactSource, Interval, SleepVerdict
from everword.facts.rows import FactEvidenceRow, FactRow
from everword.facts.voices import is_trusted


def weighed(
    fact: FactRow,
    rows: Sequence[FactEvidenceRow],
    own: Sequence[Interval],
    now: datetime,
    trust: TrustPolicy,
) -> FactRow:
    """Return a fact with state, confidence and validity recomputed from its evidence.

    If trusted evidence supports it, untrusted evidence changes only the number of contradictions.
    """
    pieces = [_evidence(row, trust) for row in rows]
    is_supported = any(each.is_trusted and not each.contradicts for each in pieces)
    supporting = [
        (piece, row.said_at)
        for piece, row in zip(pieces, rows, strict=True)
        if not piece.contradicts and (piece.is_trusted or not is_supported)
    ]
    seen = [at for _, at in supporting] or [fact.first_seen_at]
    if fact.ruling == FactRuling.RIGHT and fact.ruled_at:
        seen.append(fact.ruled_at)
    sources = [each.source for each, _ in supporting] or [FactSource(fact.source)]
    first, last = min(seen), max(seen)
    is_anchor = find_attribute(fact.attribute).is_anchor or fact.is_anchor
    ruling = FactRuling(fact.ruling) if fact.ruling else None
    is_vouched_for = ruling is FactRuling.RIGHT or is_supported
    tier = find_maturity(first, last, len(supporting), is_anchor) if is_vouched_for else None
    verdict = SleepVerdict(fact.verdict) if fact.verdict else None
    # A fact that was never believed is a suspicion next to the believed one.
    holds_now = any(each.covers(now) or each.since > now for each in own)
    return replace(
        fact,
        state=find_state(
            pieces, ruling, bool(own), holds_now, tier if holds_now else None, verdict
        ),
        confidence=confidence(pieces),
        supporting=len(supporting),
        contradicting=sum(each.contradicts for each in pieces),
        # The strongest source is that of the fact.
        source=max(sources, key=lambda source: source.strength),
        hypothesis=all(piece.hypothesis for piece, _ in supporting),
        first_seen_at=first,
        last_seen_at=last,
        lifetime_days=max(fact.lifetime_days, tier.lifetime_days if tier else 0),
    )


def _evidence(row: FactEvidenceRow, trust: TrustPolicy) -> WeighedEvidence:
    return WeighedEvidence(
        row.conversation_id,
        row.contradicts,
        FactSource(row.source),
        row.hypothesis,
        is_trusted(row, trust),
    )

"""What follows for a fact from its evidence, and from when it is believed to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from everword.domain.trust import TrustPolicy
from everword.facts.attributes import find_attribute
from everword.facts.confidence import Evidence, confidence, find_maturity, find_state
from everword.facts.model import Interval, Ruling, Source, Verdict
from everword.facts.rows import EvidenceRow, FactRow


def weighed(
    fact: FactRow,
    rows: Sequence[EvidenceRow],
    own: Sequence[Interval],
    now: datetime,
    trust: TrustPolicy,
) -> FactRow:
    """Return a fact with what follows from its evidence, and from when it is believed to hold."""
    pieces = [
        Evidence(row.conversation_id, row.contradicts, Source(row.source), row.hypothesis)
        for row in rows
    ]
    supporting = [
        (piece, row.said_at)
        for piece, row in zip(pieces, rows, strict=True)
        if not piece.contradicts
    ]
    seen = [at for _, at in supporting] or [fact.first_seen_at]
    if fact.ruling == Ruling.RIGHT and fact.ruled_at:
        seen.append(fact.ruled_at)
    sources = [Source(fact.source)] if not supporting else [each.source for each, _ in supporting]
    attribute = find_attribute(fact.attribute)
    first, last = min(seen), max(seen)
    is_anchor = attribute.is_anchor or fact.is_anchor
    ruling = Ruling(fact.ruling) if fact.ruling else None
    is_vouched_for = ruling is Ruling.RIGHT or _is_vouched_for(rows, trust)
    tier = find_maturity(first, last, len(supporting), is_anchor) if is_vouched_for else None
    verdict = Verdict(fact.verdict) if fact.verdict else None
    # What was never believed is a suspicion beside what is.
    holds_now = any(each.covers(now) or each.since > now for each in own)
    return replace(
        fact,
        state=find_state(
            pieces, ruling, bool(own), holds_now, tier if holds_now else None, verdict
        ),
        confidence=confidence(pieces),
        supporting=len(supporting),
        contradicting=len(pieces) - len(supporting),
        # The strongest source is that of the fact.
        source=max(sources, key=lambda source: source.strength),
        hypothesis=all(piece.hypothesis for piece, _ in supporting),
        first_seen_at=first,
        last_seen_at=last,
        lifetime_days=max(fact.lifetime_days, tier.lifetime_days if tier else 0),
    )


def _is_vouched_for(rows: Sequence[EvidenceRow], trust: TrustPolicy) -> bool:
    """Tell whether somebody who is trusted says so: nobody else makes a fact certain by saying it often."""
    return any(
        not row.contradicts and not trust.is_untrusted(row.channel, row.role, row.tool_name)
        for row in rows
    )

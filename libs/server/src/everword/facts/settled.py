"""Write what follows from evidence as a whole: a fact is confirmed, decided against, expired, or another's double.

As in `told`, the caller holds what is known of the attribute, and this works in the caller's transaction. Each does
nothing where what it was decided from is not so any more: a person's word, or something newer, may have come between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.facts import timeline
from everword.facts.model import Ruling, Source, State, Verdict
from everword.facts.store import NewChange, NewEvidence
from everword.facts.timeline import NOTHING
from everword.facts.writer import Audit, Standing, add_evidence, apply


async def confirm_fact(
    conn: Connection, settings: NamespaceSettings, standing: Standing, fact_id: UUID, audit: Audit
) -> bool:
    """Store that a fact is confirmed; False where it is not suspected any more."""
    fact = standing.facts.get(fact_id)
    if fact is None or fact.state != State.SUSPECTED:
        return False
    confirmed = replace(fact, verdict=Verdict.CONFIRMED, verdict_at=fact.last_seen_at)
    changes = [NewChange(new_id(), fact_id, "confirmed")]
    await apply(conn, settings, standing.with_fact(confirmed), NOTHING, changes, audit)
    return True


async def reject_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: Standing,
    fact_id: UUID,
    right_id: UUID,
    audit: Audit,
) -> bool:
    """Store that of two facts that contradict each other one never held; False where a person said that it does."""
    fact, right = standing.facts.get(fact_id), standing.facts.get(right_id)
    if fact is None or right is None or fact.ruling == Ruling.RIGHT:
        return False
    rejected = replace(fact, verdict=Verdict.REJECTED, verdict_at=fact.last_seen_at)
    change = timeline.correct(standing.believed, fact_id, right_id, right.several)
    changes = [
        NewChange(new_id(), fact_id, "rejected", right_id),
        NewChange(new_id(), right_id, "upheld", fact_id),
    ]
    await apply(conn, settings, standing.with_fact(rejected), change, changes, audit)
    return True


async def accept_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: Standing,
    fact_id: UUID,
    rival_id: UUID,
    audit: Audit,
) -> bool:
    """Store that of two facts that contradict each other the newer one took the other's place, when it was first said.

    False where a person said that the other one is right, or that this one is wrong.
    """
    fact, rival = standing.facts.get(fact_id), standing.facts.get(rival_id)
    if fact is None or rival is None or fact.ruling == Ruling.WRONG:
        return False
    if rival.ruling == Ruling.RIGHT and fact.ruling != Ruling.RIGHT:
        return False
    accepted = replace(fact, verdict=Verdict.CONFIRMED, verdict_at=fact.last_seen_at)
    is_believed = any(each.fact_id == fact_id for each in standing.believed)
    change = (
        NOTHING
        if is_believed
        else timeline.state(standing.believed, fact_id, fact.first_seen_at, None, fact.several)
    )
    changes = [
        NewChange(new_id(), fact_id, "accepted", rival_id),
        NewChange(new_id(), rival_id, "superseded", fact_id),
    ]
    await apply(conn, settings, standing.with_fact(accepted), change, changes, audit)
    return True


async def expire_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: Standing,
    fact_id: UUID,
    at: datetime,
    audit: Audit,
) -> bool:
    """Store that a fact ended at `at`, for it was not heard of for its lifetime; False where it was heard of since."""
    fact = standing.facts.get(fact_id)
    change = timeline.end(standing.believed, fact_id, at) if fact else NOTHING
    if change == NOTHING:
        return False
    changes = [NewChange(new_id(), fact_id, "expired")]
    await apply(conn, settings, standing, change, changes, audit)
    return True


async def anchor_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: Standing,
    fact_id: UUID,
    is_anchor: bool,
    audit: Audit,
) -> bool:
    """Store whether a life is built around a fact; False where nothing follows from that."""
    fact = standing.facts.get(fact_id)
    if fact is None or fact.is_anchor == is_anchor:
        return False
    anchored = replace(fact, is_anchor=is_anchor)
    changes = [NewChange(new_id(), fact_id, "anchored" if is_anchor else "released")]
    await apply(conn, settings, standing.with_fact(anchored), NOTHING, changes, audit)
    return True


async def merge_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: Standing,
    kept_id: UUID,
    double_id: UUID,
    pieces: Sequence[NewEvidence],
    audit: Audit,
) -> bool:
    """Let a fact take over the evidence and the time of another value that says the same; False where a person spoke.

    `pieces` are the double's evidence. The double is not believed any more, and keeps its own.
    """
    kept, double = standing.facts.get(kept_id), standing.facts.get(double_id)
    if kept is None or double is None or double.ruling is not None or kept.ruling == Ruling.WRONG:
        return False
    sourced = replace(kept, source=Source(double.source), hypothesis=double.hypothesis)
    await add_evidence(conn, standing, sourced, [replace(each, id=new_id()) for each in pieces])
    change = timeline.correct(standing.believed, double_id, kept_id, kept.several)
    rejected = replace(double, verdict=Verdict.REJECTED, verdict_at=double.last_seen_at)
    changes = [
        NewChange(new_id(), kept_id, "supported", double_id),
        NewChange(new_id(), double_id, "merged", kept_id),
    ]
    await apply(conn, settings, standing.with_fact(rejected), change, changes, audit)
    return True

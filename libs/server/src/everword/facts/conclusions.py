"""Write the consequences of evidence as a whole: confirmation, rejection, expiry, or merging with a duplicate.

The caller has locked the attribute, as for `statement_writer`, and this works in the caller's transaction. A function
does nothing if its reason is gone: a person's ruling, or newer evidence, may have come between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.facts import store, timeline
from everword.facts.model import DisputeOutcome, FactRuling, FactSource, FactState, SleepVerdict
from everword.facts.store import FactRow, NewChange, NewEvidence
from everword.facts.timeline import NOTHING, TimelineChange
from everword.facts.writer import (
    ChangeReason,
    LockedAttribute,
    add_evidence,
    apply,
    lock_attribute,
)


async def confirm_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    fact_id: UUID,
    audit: ChangeReason,
) -> bool:
    """Confirm a fact; False if it is no longer suspected."""
    fact = locked.facts.get(fact_id)
    if fact is None or fact.state != FactState.SUSPECTED:
        return False
    confirmed = replace(fact, verdict=SleepVerdict.CONFIRMED, verdict_at=fact.last_seen_at)
    changes = [NewChange(new_id(), fact_id, "confirmed")]
    await apply(conn, settings, locked.with_fact(confirmed), NOTHING, changes, audit)
    return True


async def reject_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    fact_id: UUID,
    right_id: UUID,
    audit: ChangeReason,
) -> bool:
    """Store that one of two contradicting facts was never true.

    Return False if a person confirmed it, or if only untrusted evidence supports the other fact.
    """
    fact, right = locked.facts.get(fact_id), locked.facts.get(right_id)
    if fact is None or right is None or fact.ruling == FactRuling.RIGHT:
        return False
    if _is_outranked(locked, right_id, fact_id):
        return False
    rejected = replace(fact, verdict=SleepVerdict.REJECTED, verdict_at=fact.last_seen_at)
    change = timeline.correct(locked.believed, fact_id, right_id, right.several)
    changes = [
        NewChange(new_id(), fact_id, "rejected", right_id),
        NewChange(new_id(), right_id, "upheld", fact_id),
    ]
    await apply(conn, settings, locked.with_fact(rejected), change, changes, audit)
    return True


async def accept_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    fact_id: UUID,
    rival_id: UUID,
    audit: ChangeReason,
) -> bool:
    """Store that of two facts that contradict each other the newer one took the other's place, when it was first said.

    False if a person confirmed the other fact or rejected this one, or if only the other fact has trusted evidence.
    """
    fact, rival = locked.facts.get(fact_id), locked.facts.get(rival_id)
    if fact is None or rival is None or fact.ruling == FactRuling.WRONG:
        return False
    if rival.ruling == FactRuling.RIGHT and fact.ruling != FactRuling.RIGHT:
        return False
    if _is_outranked(locked, fact_id, rival_id) and rival.state != FactState.REJECTED:
        return False
    accepted = replace(fact, verdict=SleepVerdict.CONFIRMED, verdict_at=fact.last_seen_at)
    is_believed = any(each.fact_id == fact_id for each in locked.believed)
    change = NOTHING if is_believed else _state(locked, fact)
    changes = [
        NewChange(new_id(), fact_id, "accepted", rival_id),
        NewChange(new_id(), rival_id, "superseded", fact_id),
    ]
    await apply(conn, settings, locked.with_fact(accepted), change, changes, audit)
    return True


async def settle_by_ruling(
    conn: Connection,
    settings: NamespaceSettings,
    namespace_id: int,
    ruled: FactRow,
    right_id: UUID | None = None,
) -> None:
    """Settle the open disputes of a fact on which a person has ruled; the caller has locked its attribute.

    `right_id` is the fact that the person named instead; then neither side of a dispute takes effect.
    """
    is_right = ruled.ruling == FactRuling.RIGHT
    audit = ChangeReason("person", "a person said so")
    for row in await store.find_open_disputes(conn, namespace_id, ruled.id):
        is_accepted = is_right == (row.new_id == ruled.id)
        if right_id is not None:
            is_accepted = row.new_id == right_id
        outcome = DisputeOutcome.ACCEPT_NEW if is_accepted else DisputeOutcome.REJECT_NEW
        locked = await lock_attribute(conn, namespace_id, settings.trust, ruled.key)
        await store.settle_dispute(
            conn, namespace_id, locked.now, row.id, outcome, audit.actor, audit.reason
        )
        if right_id is not None:
            continue
        settle = accept_fact if is_accepted else reject_fact
        await settle(conn, settings, locked, row.new_id, row.old_id, audit)


async def expire_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    fact_id: UUID,
    at: datetime,
    audit: ChangeReason,
) -> bool:
    """End a fact at `at`, because it was not mentioned for its lifetime; False if it was mentioned since."""
    fact = locked.facts.get(fact_id)
    change = timeline.end(locked.believed, fact_id, at) if fact else NOTHING
    if change == NOTHING:
        return False
    changes = [NewChange(new_id(), fact_id, "expired")]
    await apply(conn, settings, locked, change, changes, audit)
    return True


async def anchor_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    fact_id: UUID,
    is_anchor: bool,
    audit: ChangeReason,
) -> bool:
    """Store whether a fact is an anchor of a life; False if that is no change."""
    fact = locked.facts.get(fact_id)
    if fact is None or fact.is_anchor == is_anchor:
        return False
    anchored = replace(fact, is_anchor=is_anchor)
    changes = [NewChange(new_id(), fact_id, "anchored" if is_anchor else "released")]
    await apply(conn, settings, locked.with_fact(anchored), NOTHING, changes, audit)
    return True


async def merge_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    kept_id: UUID,
    double_id: UUID,
    pieces: Sequence[tuple[FactSource, bool, NewEvidence]],
    audit: ChangeReason,
) -> bool:
    """Merge a duplicate value into a fact, with its evidence and validity.

    Return False if a person ruled on the duplicate or ruled the fact wrong, if only the duplicate has trusted evidence,
    or if either no longer exists. `pieces` are the duplicate's evidence, each with its source and whether it is a
    guess. The duplicate becomes disbelieved, and keeps its evidence.
    """
    retained, double = locked.facts.get(kept_id), locked.facts.get(double_id)
    if (
        retained is None
        or double is None
        or double.ruling is not None
        or retained.ruling == FactRuling.WRONG
    ):
        return False
    if _is_outranked(locked, kept_id, double_id):
        return False
    for source, is_guess, piece in pieces:
        sourced = replace(retained, source=source, hypothesis=is_guess)
        await add_evidence(conn, locked, sourced, [replace(piece, id=new_id())])
    change = timeline.correct(locked.believed, double_id, kept_id, retained.several)
    rejected = replace(double, verdict=SleepVerdict.REJECTED, verdict_at=double.last_seen_at)
    changes = [
        NewChange(new_id(), kept_id, "supported", double_id),
        NewChange(new_id(), double_id, "merged", kept_id),
    ]
    await apply(conn, settings, locked.with_fact(rejected), change, changes, audit)
    return True


def _is_outranked(locked: LockedAttribute, fact_id: UUID, other_id: UUID) -> bool:
    """Return whether trusted evidence supports another fact, and none supports this one."""
    supported = locked.voices.supported
    return other_id in supported and fact_id not in supported


def _state(locked: LockedAttribute, fact: FactRow) -> TimelineChange:
    """Return the change that makes a fact valid since it was first stated."""
    trusted_ids = locked.voices.supported
    state = timeline.state_trusted if fact.id in trusted_ids else timeline.state_untrusted
    return state(locked.believed, trusted_ids, fact.id, fact.first_seen_at, None, fact.several)

"""Step 8: ends facts that were not mentioned for their lifetime. They stay in the history, and are asked about."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from everword.facts.conclusions import expire_fact
from everword.facts.writer import ChangeReason, lock_attribute
from everword_compactor.sleep.model import KnownFact
from everword_compactor.sleep.stages import reads
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)

#: Facts of a subject that one closing ends.
MOST = 200


def expire(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """End the facts of the subject whose lifetime is over; those in dispute are left to be settled."""
    with tools.reading() as conn:
        expired = reads.expired_facts(conn, tools.namespace_id, work.subject, tools.now, MOST)
    profile = work.loaded.profile
    for fact in expired:
        profile = profile.without_fact(fact)
        work = work.adding(_end(fact), facts_expired=1)
    return replace(work, expired=expired, loaded=work.loaded.with_profile(profile))


def _end(fact: KnownFact) -> PendingWrite:
    assert fact.id is not None
    fact_id = fact.id
    lifetime = timedelta(days=fact.lifetime_days)
    audit = ChangeReason("machine", f"not heard of for {fact.lifetime_days} days")

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, fact.key)
        now = locked.facts.get(fact_id)
        # It may have been heard of since, or been given a longer life.
        if now is not None and now.last_seen_at + timedelta(days=now.lifetime_days) < to.now:
            at = fact.last_seen_at + lifetime
            await expire_fact(to.conn, to.settings, locked, fact_id, at, audit)

    return PendingWrite("expire-fact", run, [fact.key])


EXPIRE = ClosingStage("expire", expire)

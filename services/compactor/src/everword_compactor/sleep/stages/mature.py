"""Step 9: facts that are anchors of the trajectory mature sooner: at 60 % of the time and of the evidence.

Age and evidence of a fact are weighed with every write of it (`everword.facts.confidence`).
"""

from __future__ import annotations

from collections.abc import Sequence

from everword.facts.conclusions import anchor_fact
from everword.facts.writer import ChangeReason, lock_attribute
from everword_compactor.sleep.model import KnownFact
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)

_AUDIT = ChangeReason("machine", "an anchor of the trajectory")


def mature(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Mark the facts of the subject that are anchors of its trajectory, and unmark the others."""
    if work.loaded.trajectory.made_at is None:
        return work
    anchors = [anchor.casefold() for anchor in work.loaded.trajectory.anchors]
    for fact in work.loaded.profile.facts:
        is_anchor = _is_named(fact, anchors)
        if fact.id is not None and is_anchor != fact.is_anchor:
            work = work.adding(_anchor(fact, is_anchor), facts_anchored=int(is_anchor))
    return work


def _is_named(fact: KnownFact, anchors: Sequence[str]) -> bool:
    """Return whether an anchor names a fact: by its attribute, or by its value as whole words."""
    attribute, value = fact.key.attribute.casefold(), f" {fact.value.casefold()} "
    named = attribute.replace("_", " ")
    return any(
        anchor in (attribute, named) or value in f" {' '.join(anchor.replace(':', ' ').split())} "
        for anchor in anchors
    )


def _anchor(fact: KnownFact, is_anchor: bool) -> PendingWrite:
    assert fact.id is not None
    fact_id = fact.id

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, fact.key)
        await anchor_fact(to.conn, to.settings, locked, fact_id, is_anchor, _AUDIT)

    return PendingWrite("anchor-fact", run, [fact.key])


MATURE = ClosingStage("mature", mature)

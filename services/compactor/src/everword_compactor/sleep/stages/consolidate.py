"""Step 12: joins facts that say the same in other letters, such as `the Beatles` and `Beatles`."""

from __future__ import annotations

import re
from collections import defaultdict

from everword.domain.ids import new_id
from everword.facts.conclusions import merge_fact
from everword.facts.model import FactSource, Key
from everword.facts.store import NewEvidence
from everword.facts.writer import ChangeReason, lock_attribute
from everword_compactor.sleep.model import KnownFact
from everword_compactor.sleep.stages import reads
from everword_compactor.sleep.stages.reads import EvidenceRow
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)

_AUDIT = ChangeReason("machine", "says the same as another one")
_LETTERS = re.compile(r"[^\w]+")
_ARTICLES = {"a", "an", "the", "my", "our", "his", "her", "their"}


def consolidate(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Let the older of two facts that say the same take over the other's evidence."""
    alike: dict[tuple[Key, str], list[KnownFact]] = defaultdict(list)
    for fact in work.loaded.profile.facts:
        if fact.id is not None and fact.several:
            alike[fact.key, folded(fact.value)].append(fact)
    doubles = [
        (retained, double)
        for facts in alike.values()
        for retained, *others in [sorted(facts, key=_precedence)]
        for double in others
    ]
    if not doubles:
        return work
    with tools.reading() as conn:
        ids = [double.id for _, double in doubles if double.id is not None]
        evidence = reads.read_evidence(conn, tools.namespace_id, ids)
    for retained, double in doubles:
        own = [each for each in evidence if each.fact_id == double.id]
        work = work.adding(_merge(retained, double, own), facts_merged=1)
    return work


def folded(value: str) -> str:
    """Return what values share that differ in case, punctuation and articles alone."""
    words = _LETTERS.sub(" ", value.casefold()).split()
    return " ".join(word for word in words if word not in _ARTICLES) or value.casefold()


def _precedence(fact: KnownFact) -> tuple[bool, object]:
    return not fact.is_ruled, fact.first_seen_at


def _merge(kept: KnownFact, double: KnownFact, evidence: list[EvidenceRow]) -> PendingWrite:
    assert kept.id is not None
    assert double.id is not None
    kept_id, double_id = kept.id, double.id
    pieces = [
        (
            FactSource(each.source),
            each.hypothesis,
            NewEvidence(
                new_id(),
                each.message_id,
                each.conversation_id,
                each.contradicts,
                each.quote,
                each.reason,
                each.said_at,
            ),
        )
        for each in evidence
    ]

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, kept.key)
        await merge_fact(to.conn, to.settings, locked, kept_id, double_id, pieces, _AUDIT)

    return PendingWrite("merge-fact", run, [kept.key])


CONSOLIDATE = ClosingStage("consolidate", consolidate)

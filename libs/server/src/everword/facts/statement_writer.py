"""Write statements about a subject's attribute: a value is valid, no longer valid, or never was.

Each works on the attribute locked by the caller (`writer.hold`), in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.facts import timeline
from everword.facts.attributes import find_attribute
from everword.facts.model import FactRuling, FactSource, FactState, Key, SleepVerdict, value_hash
from everword.facts.rows import FactRow, NewChange, NewEvidence
from everword.facts.timeline import NOTHING, TimelineChange
from everword.facts.writer import ChangeReason, FactPlan, LockedAttribute, WrittenFacts, write_plans


@dataclass(frozen=True)
class FactStatement:
    """A statement about a subject's attribute."""

    key: Key
    value: str
    source: FactSource
    #: When it begins to hold.
    since: datetime
    #: At least one piece.
    pieces: Sequence[NewEvidence]
    until: datetime | None = None
    hypothesis: bool = False
    #: None as the attribute is known.
    several: bool | None = None
    category: str = ""
    #: 0 as the attribute is known.
    lifetime_days: int = 0
    agent: str = ""
    #: True if it comes from an untrusted channel, or from a tool. It never changes a trusted fact: it is
    #: only stored as evidence, and opens a dispute.
    is_untrusted: bool = False

    @property
    def is_several(self) -> bool:
        """Return whether the attribute has several values at a time."""
        known = find_attribute(self.key.attribute).several
        return known if self.several is None else self.several

    @property
    def said_at(self) -> datetime:
        return max(piece.said_at for piece in self.pieces)


@dataclass(frozen=True)
class Remembered:
    """The result of a statement."""

    fact_id: UUID
    written: WrittenFacts
    superseded: Sequence[UUID]


async def state_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: LockedAttribute,
    told: FactStatement,
    audit: ChangeReason,
) -> Remembered:
    """Store that a value is valid: it supersedes the current value, or is one more piece of evidence for it."""
    plan, fact_id = plan_statement(standing, told)
    written = await write_plans(conn, settings, [plan], audit)
    return Remembered(fact_id, written, sorted(plan.change.superseded_ids - {fact_id}))


def plan_statement(standing: LockedAttribute, told: FactStatement) -> tuple[FactPlan, UUID]:
    """Return the plan for a statement that a value is valid, and its fact."""
    plan, fact, is_new = _support(standing, told)
    change = _decide(plan.standing, fact, told)
    doubted = _doubted(plan.standing, fact, told) if change == NOTHING else None
    evidence, disputes = list(plan.evidence), list[tuple[UUID, UUID]]()
    if doubted is not None:
        evidence += _doubting(doubted, told)
        disputes.append((doubted.id, fact.id))
    displaced = _displaced(plan.standing, change)
    disputes += [(fact.id, id_) for id_ in displaced]
    superseded = sorted(change.superseded_ids - {fact.id})
    changes = _changes(fact, is_new, superseded, doubted)
    changes += [NewChange(new_id(), id_, "disputed", fact.id) for id_ in displaced]
    decided = replace(plan, change=change, changes=changes, evidence=evidence, disputes=disputes)
    return decided, fact.id


async def retract_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: LockedAttribute,
    told: FactStatement,
    audit: ChangeReason,
) -> None:
    """Store that a value holds no more; without one, that none does. What holds since later, stays."""
    plan = plan_retraction(standing, told)
    if plan is not None:
        await write_plans(conn, settings, [plan], audit)


def plan_retraction(standing: LockedAttribute, told: FactStatement) -> FactPlan | None:
    """Return the plan for a statement that a value is no longer valid; None if it was not."""
    wanted = value_hash(told.value)
    ending = [
        each
        for each in standing.believed
        if each.covers(told.since)
        and (not told.value or standing.facts[each.fact_id].value_hash == wanted)
    ]
    if not ending:
        return None
    evidence = [piece for each in ending for piece in _doubting(standing.facts[each.fact_id], told)]
    change, changes = timeline.NOTHING, list[NewChange]()
    for each in ending:
        if told.is_untrusted and each.fact_id in standing.voices.addressed:
            changes.append(NewChange(new_id(), each.fact_id, "doubted"))
            continue
        one = timeline.end(standing.believed, each.fact_id, told.since)
        change = TimelineChange(
            change.disbelieved + one.disbelieved, change.believed + one.believed
        )
        changes.append(NewChange(new_id(), each.fact_id, "closed"))
    return FactPlan(standing, change, changes, evidence=evidence)


async def doubt_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: LockedAttribute,
    fact_id: UUID,
    told: FactStatement,
    audit: ChangeReason,
) -> bool:
    """Store a statement as evidence against a fact, without another value; False if there is no such fact."""
    fact = standing.facts.get(fact_id)
    if fact is None:
        return False
    changes = [NewChange(new_id(), fact.id, "doubted")]
    plan = FactPlan(standing, NOTHING, changes, evidence=_doubting(fact, told))
    await write_plans(conn, settings, [plan], audit)
    return True


async def correct_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: LockedAttribute,
    told: FactStatement,
    wrong_value: str,
    audit: ChangeReason,
) -> None:
    """Store that a value held all along, where another one was said by mistake; if none was, that it holds."""
    await write_plans(conn, settings, [plan_correction(standing, told, wrong_value)], audit)


def plan_correction(standing: LockedAttribute, told: FactStatement, wrong_value: str) -> FactPlan:
    """Return the plan for a correction: one value was valid all along, and the other was a mistake."""
    wrong = standing.of_value(wrong_value)
    is_believed = wrong and any(each.fact_id == wrong.id for each in standing.believed)
    if wrong is None or not is_believed or wrong.ruling is not None:
        return plan_statement(standing, told)[0]
    known = standing.of_value(told.value)
    addressed = {wrong.id, known.id if known else wrong.id} & standing.voices.addressed
    if told.is_untrusted and addressed:
        return plan_statement(standing, told)[0]
    plan, right, is_new = _support(standing, told)
    change = timeline.correct(standing.believed, wrong.id, right.id, right.several)
    changes = [
        NewChange(new_id(), wrong.id, "corrected", right.id),
        NewChange(new_id(), right.id, "remembered" if is_new else "supported", wrong.id),
    ]
    evidence = [*plan.evidence, *_doubting(wrong, told)]
    return replace(plan, change=change, changes=changes, evidence=evidence)


def _support(standing: LockedAttribute, told: FactStatement) -> tuple[FactPlan, FactRow, bool]:
    """Return a plan with the evidence of a statement, the fact, and whether it is new."""
    known = standing.of_value(told.value)
    fact = known or _new(told)
    if not told.is_untrusted:
        fact = _renewed(fact, told.said_at)
    sourced = replace(fact, source=told.source, hypothesis=told.hypothesis)
    evidence = [(sourced, piece) for piece in told.pieces]
    new_facts = [fact] if known is None else []
    standing = standing.with_fact(fact)
    if not told.is_untrusted and not all(piece.contradicts for piece in told.pieces):
        standing = replace(standing, voices=standing.voices.with_supported(fact.id))
    plan = FactPlan(standing, new_facts=new_facts, evidence=evidence)
    return plan, fact, known is None


def _doubting(fact: FactRow, told: FactStatement) -> list[tuple[FactRow, NewEvidence]]:
    """Return a statement as evidence against a fact."""
    sourced = replace(fact, source=told.source, hypothesis=told.hypothesis)
    return [(sourced, replace(piece, id=new_id(), contradicts=True)) for piece in told.pieces]


def _new(told: FactStatement) -> FactRow:
    attribute = find_attribute(told.key.attribute)
    return FactRow(
        id=new_id(),
        subject=told.key.subject,
        category=told.category or attribute.category,
        attribute=told.key.attribute,
        value=told.value,
        several=told.is_several,
        source=told.source,
        hypothesis=told.hypothesis,
        state=FactState.SUSPECTED,
        confidence=0.0,
        lifetime_days=told.lifetime_days or attribute.lifetime_days,
        first_seen_at=told.since,
        last_seen_at=told.since,
        supporting=0,
        contradicting=0,
        agent=told.agent,
        ruling=None,
        ruled_at=None,
        value_hash=value_hash(told.value),
    )


def _renewed(fact: FactRow, said_at: datetime) -> FactRow:
    """Return a fact without its rejection, if newer evidence supports it."""
    if fact.ruling == FactRuling.WRONG and fact.ruled_at and said_at > fact.ruled_at:
        fact = replace(fact, ruling=None, ruled_at=None)
    if fact.verdict == SleepVerdict.REJECTED and fact.verdict_at and said_at > fact.verdict_at:
        fact = replace(fact, verdict=None, verdict_at=None)
    return fact


def _decide(standing: LockedAttribute, fact: FactRow, told: FactStatement) -> TimelineChange:
    """Return the changes of a statement.

    There are none if a guess contradicts a statement, or a ruling made since, and if an untrusted source contradicts a
    trusted one.
    """
    rejected = fact.ruling == FactRuling.WRONG or fact.verdict == SleepVerdict.REJECTED
    if rejected or all(piece.contradicts for piece in told.pieces):
        return NOTHING
    if told.is_untrusted and fact.id in standing.voices.addressed:
        return NOTHING
    trusted_ids = standing.voices.supported
    rival = _rival(standing, fact, told.since)
    # A trusted source overrides an untrusted rival.
    if rival is not None and (told.is_untrusted or rival.id in trusted_ids):
        known = rival.state in (FactState.CONFIRMED, FactState.ESTABLISHED)
        ruled = rival.ruled_at is not None and told.said_at <= rival.ruled_at
        guessed = told.hypothesis and not rival.hypothesis
        if ruled or guessed or (known and (told.hypothesis or told.source is FactSource.INFERRED)):
            return NOTHING
    state = timeline.state_untrusted if told.is_untrusted else timeline.state_trusted
    return state(standing.believed, trusted_ids, fact.id, told.since, told.until, fact.several)


def _rival(standing: LockedAttribute, fact: FactRow, since: datetime) -> FactRow | None:
    """Return the other fact that is current at a moment, for an attribute with one value at a time."""
    found = next((each for each in standing.believed if each.covers(since)), None)
    if fact.several or found is None or found.fact_id == fact.id:
        return None
    return standing.facts[found.fact_id]


def _doubted(standing: LockedAttribute, fact: FactRow, told: FactStatement) -> FactRow | None:
    """Return the fact that a statement speaks against without taking its place."""
    rival = _rival(standing, fact, told.since)
    if rival is not None and told.is_untrusted and rival.id in standing.voices.supported:
        is_rejected = fact.ruling == FactRuling.WRONG or fact.verdict == SleepVerdict.REJECTED
        return None if is_rejected else rival
    is_believed = any(each.fact_id == fact.id for each in standing.believed)
    return None if is_believed else rival


def _displaced(standing: LockedAttribute, change: TimelineChange) -> list[UUID]:
    """Return the untrusted facts that become disbelieved for all time, even before the trusted fact."""
    kept = {each.fact_id for each in change.believed}
    untrusted = [
        each.fact_id
        for each in change.disbelieved
        if each.fact_id not in kept and each.fact_id not in standing.voices.supported
    ]
    return sorted(set(untrusted))


def _changes(
    fact: FactRow, is_new: bool, superseded: Sequence[UUID], doubted: FactRow | None
) -> list[NewChange]:
    own = NewChange(new_id(), fact.id, "remembered" if is_new else "supported")
    changes = [own, *(NewChange(new_id(), id_, "superseded", fact.id) for id_ in superseded)]
    if doubted is not None:
        changes.append(NewChange(new_id(), doubted.id, "disputed", fact.id))
    return changes

"""Write statements about a subject's attribute: a value is valid, no longer valid, or never was.

Each works on the attribute locked by the caller (`writer.hold`), in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.facts import timeline
from everword.facts.attributes import find_attribute
from everword.facts.change_words import is_change
from everword.facts.model import (
    FactRuling,
    FactSource,
    FactState,
    Key,
    SleepVerdict,
    value_hash,
)
from everword.facts.rows import FactRow, NewChange, NewEvidence
from everword.facts.timeline import NOTHING, TimelineChange
from everword.facts.writer import (
    ChangeReason,
    EndedDisputes,
    FactPlan,
    LockedAttribute,
    WrittenFacts,
    write_plans,
)
from everword.jobs.enqueue import SESSION_IDLE_S

#: A statement after a pause of this length is made in another session.
ANOTHER_SESSION = timedelta(seconds=SESSION_IDLE_S)
#: Least evidence of an established fact that outweighs a passing statement; anchors are established by two pieces.
_RESISTING = 3


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

    @property
    def is_passing(self) -> bool:
        """Return whether a person describes something in passing, without saying that it has changed.

        Callers' own words, such as an agent's note, are deliberate.
        """
        said = self.source in (FactSource.STATED, FactSource.INFERRED)
        return said and self.until is None and not any(is_change(p.quote) for p in self.pieces)


@dataclass(frozen=True)
class StatementResult:
    """The result of a statement."""

    fact_id: UUID
    written: WrittenFacts
    superseded: Sequence[UUID]


async def state_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    statement: FactStatement,
    audit: ChangeReason,
) -> StatementResult:
    """Store that a value is valid: it supersedes the current value, or is one more piece of evidence for it."""
    plan, fact_id = plan_statement(locked, statement)
    written = await write_plans(conn, settings, [plan], audit)
    return StatementResult(fact_id, written, sorted(plan.change.superseded_ids - {fact_id}))


def plan_statement(locked: LockedAttribute, statement: FactStatement) -> tuple[FactPlan, UUID]:
    """Return the plan for a statement that a value is valid, and its fact."""
    plan, fact, is_new = _support(locked, statement)
    resisting = _resisting_fact(plan.standing, fact, statement)
    reason = "stated as a change"
    if resisting is not None and _is_repeated(locked.facts.get(fact.id), resisting, statement):
        statement = replace(statement, since=min(statement.since, fact.last_seen_at))
        resisting, reason = None, "stated again in another session"
    change = NOTHING if resisting else _decide(plan.standing, fact, statement)
    doubted = resisting
    if doubted is None and change == NOTHING:
        doubted = _contradicted_fact(plan.standing, fact, statement)
    evidence, disputes = list(plan.evidence), list[tuple[UUID, UUID]]()
    if doubted is not None:
        evidence += _contradicting_evidence(doubted, statement)
        disputes.append((doubted.id, fact.id))
    displaced = _rejected_untrusted_facts(plan.standing, change)
    disputes += [(fact.id, id_) for id_ in displaced]
    superseded = sorted(change.superseded_ids - {fact.id})
    changes = _changes(fact, is_new, superseded, doubted)
    changes += [NewChange(new_id(), id_, "disputed", fact.id) for id_ in displaced]
    ended = {each.fact_id for each in change.disbelieved} - {fact.id}
    settled = (
        [] if statement.is_untrusted else [EndedDisputes(id_, fact.id, reason) for id_ in ended]
    )
    decided = replace(
        plan, change=change, changes=changes, evidence=evidence, disputes=disputes, settled=settled
    )
    return decided, fact.id


async def retract_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    statement: FactStatement,
    audit: ChangeReason,
) -> None:
    """Store that a value holds no more; without one, that none does. What holds since later, stays."""
    plan = plan_retraction(locked, statement)
    if plan is not None:
        await write_plans(conn, settings, [plan], audit)


def plan_retraction(locked: LockedAttribute, statement: FactStatement) -> FactPlan | None:
    """Return the plan for a statement that a value is no longer valid; None if it was not."""
    requested = value_hash(statement.value)
    ending = [
        each
        for each in locked.believed
        if each.covers(statement.since)
        and (not statement.value or locked.facts[each.fact_id].value_hash == requested)
    ]
    if not ending:
        return None
    evidence = [
        piece
        for each in ending
        for piece in _contradicting_evidence(locked.facts[each.fact_id], statement)
    ]
    change, changes = timeline.NOTHING, list[NewChange]()
    for each in ending:
        if statement.is_untrusted and each.fact_id in locked.voices.addressed:
            changes.append(NewChange(new_id(), each.fact_id, "doubted"))
            continue
        one = timeline.end(locked.believed, each.fact_id, statement.since)
        change = TimelineChange(
            change.disbelieved + one.disbelieved, change.believed + one.believed
        )
        changes.append(NewChange(new_id(), each.fact_id, "closed"))
    closed_ids = [each.fact_id for each in changes if each.action == "closed"]
    settled = [EndedDisputes(id_, None, "the old value ended") for id_ in closed_ids]
    return FactPlan(locked, change, changes, evidence=evidence, settled=settled)


async def doubt_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    fact_id: UUID,
    statement: FactStatement,
    audit: ChangeReason,
) -> bool:
    """Store a statement as evidence against a fact, without another value; False if there is no such fact."""
    fact = locked.facts.get(fact_id)
    if fact is None:
        return False
    changes = [NewChange(new_id(), fact.id, "doubted")]
    plan = FactPlan(locked, NOTHING, changes, evidence=_contradicting_evidence(fact, statement))
    await write_plans(conn, settings, [plan], audit)
    return True


async def correct_fact(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    statement: FactStatement,
    wrong_value: str,
    audit: ChangeReason,
) -> None:
    """Store that a value held all along, where another one was said by mistake; if none was, that it holds."""
    await write_plans(conn, settings, [plan_correction(locked, statement, wrong_value)], audit)


def plan_correction(
    locked: LockedAttribute, statement: FactStatement, wrong_value: str
) -> FactPlan:
    """Return the plan for a correction: one value was valid all along, and the other was a mistake."""
    wrong = locked.of_value(wrong_value)
    is_believed = wrong and any(each.fact_id == wrong.id for each in locked.believed)
    if wrong is None or not is_believed or wrong.ruling is not None:
        return plan_statement(locked, statement)[0]
    known = locked.of_value(statement.value)
    addressed = {wrong.id, known.id if known else wrong.id} & locked.voices.addressed
    if statement.is_untrusted and addressed:
        return plan_statement(locked, statement)[0]
    plan, right, is_new = _support(locked, statement)
    change = timeline.correct(locked.believed, wrong.id, right.id, right.several)
    changes = [
        NewChange(new_id(), wrong.id, "corrected", right.id),
        NewChange(new_id(), right.id, "remembered" if is_new else "supported", wrong.id),
    ]
    evidence = [*plan.evidence, *_contradicting_evidence(wrong, statement)]
    return replace(plan, change=change, changes=changes, evidence=evidence)


def _support(locked: LockedAttribute, statement: FactStatement) -> tuple[FactPlan, FactRow, bool]:
    """Return a plan with the evidence of a statement, the fact, and whether it is new."""
    known = locked.of_value(statement.value)
    fact = known or _new(statement)
    if not statement.is_untrusted:
        fact = _renewed(fact, statement.said_at)
    sourced = replace(fact, source=statement.source, hypothesis=statement.hypothesis)
    evidence = [(sourced, piece) for piece in statement.pieces]
    new_facts = [fact] if known is None else []
    locked = locked.with_fact(fact)
    if not statement.is_untrusted and not all(piece.contradicts for piece in statement.pieces):
        locked = replace(locked, voices=locked.voices.with_supported(fact.id))
    plan = FactPlan(locked, new_facts=new_facts, evidence=evidence)
    return plan, fact, known is None


def _contradicting_evidence(
    fact: FactRow, statement: FactStatement
) -> list[tuple[FactRow, NewEvidence]]:
    """Return a statement as evidence against a fact."""
    sourced = replace(fact, source=statement.source, hypothesis=statement.hypothesis)
    return [(sourced, replace(piece, id=new_id(), contradicts=True)) for piece in statement.pieces]


def _new(statement: FactStatement) -> FactRow:
    attribute = find_attribute(statement.key.attribute)
    return FactRow(
        id=new_id(),
        subject=statement.key.subject,
        category=statement.category or attribute.category,
        attribute=statement.key.attribute,
        value=statement.value,
        several=statement.is_several,
        source=statement.source,
        hypothesis=statement.hypothesis,
        state=FactState.SUSPECTED,
        confidence=0.0,
        lifetime_days=statement.lifetime_days or attribute.lifetime_days,
        first_seen_at=statement.since,
        last_seen_at=statement.since,
        supporting=0,
        contradicting=0,
        agent=statement.agent,
        ruling=None,
        ruled_at=None,
        value_hash=value_hash(statement.value),
    )


def _renewed(fact: FactRow, said_at: datetime) -> FactRow:
    """Return a fact without its rejection, if newer evidence supports it."""
    if fact.ruling == FactRuling.WRONG and fact.ruled_at and said_at > fact.ruled_at:
        fact = replace(fact, ruling=None, ruled_at=None)
    if fact.verdict == SleepVerdict.REJECTED and fact.verdict_at and said_at > fact.verdict_at:
        fact = replace(fact, verdict=None, verdict_at=None)
    return fact


def _decide(locked: LockedAttribute, fact: FactRow, statement: FactStatement) -> TimelineChange:
    """Return the changes of a statement.

    There are none if a guess contradicts a statement, or a ruling made since, and if an untrusted source contradicts a
    trusted one.
    """
    rejected = fact.ruling == FactRuling.WRONG or fact.verdict == SleepVerdict.REJECTED
    if rejected or all(piece.contradicts for piece in statement.pieces):
        return NOTHING
    if statement.is_untrusted and fact.id in locked.voices.addressed:
        return NOTHING
    trusted_ids = locked.voices.supported
    rival = _rival(locked, fact, statement.since)
    # A trusted source overrides an untrusted rival.
    if rival is not None and (statement.is_untrusted or rival.id in trusted_ids):
        known = rival.state in (FactState.CONFIRMED, FactState.ESTABLISHED)
        ruled = rival.ruled_at is not None and statement.said_at <= rival.ruled_at
        guessed = statement.hypothesis and not rival.hypothesis
        if (
            ruled
            or guessed
            or (known and (statement.hypothesis or statement.source is FactSource.INFERRED))
        ):
            return NOTHING
    state = timeline.state_untrusted if statement.is_untrusted else timeline.state_trusted
    return state(
        locked.believed, trusted_ids, fact.id, statement.since, statement.until, fact.several
    )


def _resisting_fact(
    locked: LockedAttribute, fact: FactRow, statement: FactStatement
) -> FactRow | None:
    """Return the established fact that a passing statement contradicts: one sentence does not end it."""
    rival = _rival(locked, fact, statement.since)
    if rival is None or not statement.is_passing or not find_attribute(fact.attribute).is_steady:
        return None
    is_established = rival.state == FactState.ESTABLISHED and rival.supporting >= _RESISTING
    is_alive = statement.said_at < rival.last_seen_at + timedelta(days=rival.lifetime_days)
    return rival if is_established and is_alive else None


def _is_repeated(known: FactRow | None, rival: FactRow, statement: FactStatement) -> bool:
    """Return whether another session stated the value before, since the rival was last mentioned."""
    if known is None or known.hypothesis or known.state == FactState.REJECTED:
        return False
    if statement.hypothesis or statement.source is not FactSource.STATED:
        return False
    is_later = known.last_seen_at > rival.last_seen_at
    return is_later and statement.said_at >= known.last_seen_at + ANOTHER_SESSION


def _rival(locked: LockedAttribute, fact: FactRow, since: datetime) -> FactRow | None:
    """Return the other fact that is current at a moment, for an attribute with one value at a time."""
    found = next((each for each in locked.believed if each.covers(since)), None)
    if fact.several or found is None or found.fact_id == fact.id:
        return None
    return locked.facts[found.fact_id]


def _contradicted_fact(
    locked: LockedAttribute, fact: FactRow, statement: FactStatement
) -> FactRow | None:
    """Return the fact that a statement speaks against without taking its place."""
    rival = _rival(locked, fact, statement.since)
    if rival is not None and statement.is_untrusted and rival.id in locked.voices.supported:
        is_rejected = fact.ruling == FactRuling.WRONG or fact.verdict == SleepVerdict.REJECTED
        return None if is_rejected else rival
    is_believed = any(each.fact_id == fact.id for each in locked.believed)
    return None if is_believed else rival


def _rejected_untrusted_facts(locked: LockedAttribute, change: TimelineChange) -> list[UUID]:
    """Return the untrusted facts that become disbelieved for all time, even before the trusted fact."""
    retained = {each.fact_id for each in change.believed}
    untrusted = [
        each.fact_id
        for each in change.disbelieved
        if each.fact_id not in retained and each.fact_id not in locked.voices.supported
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

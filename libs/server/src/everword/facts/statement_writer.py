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
from everword.facts.model import (
    FactRuling,
    FactState,
    SleepVerdict,
    value_hash,
)
from everword.facts.rows import FactRow, NewChange, NewEvidence
from everword.facts.statement import (
    FactStatement,
    decide,
    find_contradicted_fact,
    find_rejected_untrusted,
    find_resisting_fact,
    is_repeated,
)
from everword.facts.tastes import is_kind_of, is_same_thing
from everword.facts.timeline import NOTHING, TimelineChange
from everword.facts.writer import (
    ChangeReason,
    EndedDisputes,
    FactPlan,
    LockedAttribute,
    WrittenFacts,
    lock_attribute,
    write_plans,
)


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
    superseded = plan.change.superseded_ids - {fact_id}
    ended = await end_opposites(conn, settings, locked.namespace_id, statement, audit)
    return StatementResult(fact_id, written, sorted(superseded | ended))


async def end_opposites(
    conn: Connection,
    settings: NamespaceSettings,
    namespace_id: int,
    statement: FactStatement,
    audit: ChangeReason,
) -> frozenset[UUID]:
    """End the dislike of a thing that is liked now, or the reverse; return the ended facts.

    A dislike is evidence against the likes of its kinds: disliking fruit against liking apples.
    """
    key = statement.key.opposite
    if key is None:
        return frozenset()
    locked = await lock_attribute(conn, namespace_id, settings.trust, key)
    plans = plan_opposites(locked, statement)
    if plans:
        await write_plans(conn, settings, plans, audit)
    changes = (each for plan in plans for each in plan.changes)
    return frozenset(each.fact_id for each in changes if each.action == "closed")


def plan_opposites(locked: LockedAttribute, statement: FactStatement) -> list[FactPlan]:
    """Return the plans for the opposite attribute, as `end_opposites` writes them."""
    key = statement.key.opposite
    if key is None or statement.hypothesis or statement.until is not None:
        return []
    plans = list[FactPlan | None]()
    for value in _current_values(locked, statement.since):
        if is_same_thing(value, statement.value):
            plans.append(plan_retraction(locked, replace(statement, key=key, value=value)))
        elif key.attribute == "like" and is_kind_of(value, statement.value):
            plans.append(_plan_doubt(locked, value, statement))
    return [plan for plan in plans if plan is not None]


def _current_values(locked: LockedAttribute, at: datetime) -> list[str]:
    return [locked.facts[each.fact_id].value for each in locked.believed if each.covers(at)]


def plan_statement(locked: LockedAttribute, statement: FactStatement) -> tuple[FactPlan, UUID]:
    """Return the plan for a statement that a value is valid, and its fact."""
    plan, fact, is_new = _support(locked, statement)
    resisting = find_resisting_fact(plan.standing, fact, statement)
    reason = "stated as a change"
    if resisting is not None and is_repeated(locked.facts.get(fact.id), resisting, statement):
        statement = replace(statement, since=min(statement.since, fact.last_seen_at))
        resisting, reason = None, "stated again in another session"
    change = NOTHING if resisting else decide(plan.standing, fact, statement)
    doubted = resisting
    if doubted is None and change == NOTHING:
        doubted = find_contradicted_fact(plan.standing, fact, statement)
    evidence, disputes = list(plan.evidence), list[tuple[UUID, UUID]]()
    if doubted is not None:
        evidence += _contradicting_evidence(doubted, statement)
        disputes.append((doubted.id, fact.id))
    displaced = find_rejected_untrusted(plan.standing, change)
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
        return _plan_doubts_of_kinds(locked, statement)
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


def _plan_doubts_of_kinds(locked: LockedAttribute, statement: FactStatement) -> FactPlan | None:
    """Return the plan for a thing that is no longer liked, if only kinds of it were: they are doubted."""
    if statement.key.attribute != "like" or not statement.value:
        return None
    values = [
        value
        for value in _current_values(locked, statement.since)
        if is_kind_of(value, statement.value)
    ]
    plans = [_plan_doubt(locked, value, statement) for value in values]
    if not plans:
        return None
    changes = [each for plan in plans for each in plan.changes]
    return FactPlan(locked, NOTHING, changes, evidence=[e for plan in plans for e in plan.evidence])


def _plan_doubt(locked: LockedAttribute, value: str, statement: FactStatement) -> FactPlan:
    """Return the plan for a statement as evidence against a value, without another value."""
    fact = locked.of_value(value)
    assert fact is not None
    changes = [NewChange(new_id(), fact.id, "doubted")]
    return FactPlan(locked, NOTHING, changes, evidence=_contradicting_evidence(fact, statement))


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
    await write_plans(conn, settings, [_plan_doubt(locked, fact.value, statement)], audit)
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


def _changes(
    fact: FactRow, is_new: bool, superseded: Sequence[UUID], doubted: FactRow | None
) -> list[NewChange]:
    own = NewChange(new_id(), fact.id, "remembered" if is_new else "supported")
    changes = [own, *(NewChange(new_id(), id_, "superseded", fact.id) for id_ in superseded)]
    if doubted is not None:
        changes.append(NewChange(new_id(), doubted.id, "disputed", fact.id))
    return changes

"""Write what somebody says of a subject's attribute: that a value holds, that it holds no more, that it never did.

Each works on what is known of the attribute, which the caller holds (`writer.hold`), in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.facts import store, timeline
from everword.facts.attributes import find_attribute
from everword.facts.model import Key, Ruling, Source, State, Verdict, value_hash
from everword.facts.store import FactRow, NewChange, NewEvidence
from everword.facts.timeline import NOTHING, Change
from everword.facts.writer import Audit, Standing, Written, add_evidence, apply


@dataclass(frozen=True)
class Told:
    """What is said."""

    key: Key
    value: str
    source: Source
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

    @property
    def is_several(self) -> bool:
        """Tell whether the attribute has several values at a time."""
        known = find_attribute(self.key.attribute).several
        return known if self.several is None else self.several

    @property
    def said_at(self) -> datetime:
        return max(piece.said_at for piece in self.pieces)


@dataclass(frozen=True)
class Remembered:
    """What was written for what was said."""

    fact_id: UUID
    written: Written
    superseded: Sequence[UUID]


async def state_fact(
    conn: Connection, settings: NamespaceSettings, standing: Standing, told: Told, audit: Audit
) -> Remembered:
    """Store that a value holds: it takes the place of what held before, or is one more piece for what is known."""
    standing, fact, is_new = await _support(conn, standing, told)
    change = _decide(standing, fact, told)
    doubted = _doubted(standing, fact, told.since) if change == NOTHING else None
    if doubted is not None:
        await _doubt(conn, standing, doubted, told)
        now = standing.now
        await store.open_dispute(conn, standing.namespace_id, now, doubted.id, fact.id)
    superseded = sorted(change.superseded_ids - {fact.id})
    changes = _changes(fact, is_new, superseded, doubted)
    written = await apply(conn, settings, standing, change, changes, audit)
    return Remembered(fact.id, written, superseded)


async def retract_fact(
    conn: Connection, settings: NamespaceSettings, standing: Standing, told: Told, audit: Audit
) -> None:
    """Store that a value holds no more; without one, that none does. What holds since later, stays."""
    wanted = value_hash(told.value)
    ending = [
        each
        for each in standing.believed
        if each.covers(told.since)
        and (not told.value or standing.facts[each.fact_id].value_hash == wanted)
    ]
    for each in ending:
        await _doubt(conn, standing, standing.facts[each.fact_id], told)
    change = timeline.NOTHING
    for each in ending:
        one = timeline.end(standing.believed, each.fact_id, told.since)
        change = Change(change.disbelieved + one.disbelieved, change.believed + one.believed)
    if ending:
        changes = [NewChange(new_id(), each.fact_id, "closed") for each in ending]
        await apply(conn, settings, standing, change, changes, audit)


async def doubt_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: Standing,
    fact_id: UUID,
    told: Told,
    audit: Audit,
) -> bool:
    """Store what is said as evidence against a fact, without anything in its place; False where there is none."""
    fact = standing.facts.get(fact_id)
    if fact is None:
        return False
    await _doubt(conn, standing, fact, told)
    await apply(conn, settings, standing, NOTHING, [NewChange(new_id(), fact.id, "doubted")], audit)
    return True


async def correct_fact(
    conn: Connection,
    settings: NamespaceSettings,
    standing: Standing,
    told: Told,
    wrong_value: str,
    audit: Audit,
) -> None:
    """Store that a value held all along, where another one was said by mistake; if none was, that it holds."""
    wrong = standing.of_value(wrong_value)
    is_believed = wrong and any(each.fact_id == wrong.id for each in standing.believed)
    if wrong is None or not is_believed or wrong.ruling is not None:
        await state_fact(conn, settings, standing, told, audit)
        return
    standing, right, is_new = await _support(conn, standing, told)
    await _doubt(conn, standing, wrong, told)
    change = timeline.correct(standing.believed, wrong.id, right.id, right.several)
    changes = [
        NewChange(new_id(), wrong.id, "corrected", right.id),
        NewChange(new_id(), right.id, "remembered" if is_new else "supported", wrong.id),
    ]
    await apply(conn, settings, standing, change, changes, audit)


async def _support(
    conn: Connection, standing: Standing, told: Told
) -> tuple[Standing, FactRow, bool]:
    """Return the fact of what is said, with its evidence stored, and whether it is new."""
    known = standing.of_value(told.value)
    fact = _renewed(known, told.said_at) if known else _new(told)
    standing = standing.with_fact(fact)
    if known is None:
        await store.insert_fact(conn, standing.namespace_id, fact)
    sourced = replace(fact, source=told.source, hypothesis=told.hypothesis)
    await add_evidence(conn, standing, sourced, told.pieces)
    return standing, fact, known is None


async def _doubt(conn: Connection, standing: Standing, fact: FactRow, told: Told) -> None:
    """Store what is said as evidence against a fact."""
    against = [replace(piece, id=new_id(), contradicts=True) for piece in told.pieces]
    sourced = replace(fact, source=told.source, hypothesis=told.hypothesis)
    await add_evidence(conn, standing, sourced, against)


def _new(told: Told) -> FactRow:
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
        state=State.SUSPECTED,
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
    """Return a fact without what was held against it, where something newer says that it is right."""
    if fact.ruling == Ruling.WRONG and fact.ruled_at and said_at > fact.ruled_at:
        fact = replace(fact, ruling=None, ruled_at=None)
    if fact.verdict == Verdict.REJECTED and fact.verdict_at and said_at > fact.verdict_at:
        fact = replace(fact, verdict=None, verdict_at=None)
    return fact


def _decide(standing: Standing, fact: FactRow, told: Told) -> Change:
    """Return what a statement changes.

    Nothing, where a guess meets what was stated, or what somebody set right since it was said.
    """
    rejected = fact.ruling == Ruling.WRONG or fact.verdict == Verdict.REJECTED
    if rejected or all(piece.contradicts for piece in told.pieces):
        return NOTHING
    rival = _rival(standing, fact, told.since)
    if rival is not None:
        known = rival.state in (State.CONFIRMED, State.ESTABLISHED)
        ruled = rival.ruled_at is not None and told.said_at <= rival.ruled_at
        guessed = told.hypothesis and not rival.hypothesis
        if ruled or guessed or (known and (told.hypothesis or told.source is Source.INFERRED)):
            return NOTHING
    return timeline.state(standing.believed, fact.id, told.since, told.until, fact.several)


def _rival(standing: Standing, fact: FactRow, since: datetime) -> FactRow | None:
    """Return the other fact that holds at a moment, where there is one value at a time."""
    found = next((each for each in standing.believed if each.covers(since)), None)
    if fact.several or found is None or found.fact_id == fact.id:
        return None
    return standing.facts[found.fact_id]


def _doubted(standing: Standing, fact: FactRow, since: datetime) -> FactRow | None:
    """Return the fact that a statement speaks against without taking its place."""
    is_believed = any(each.fact_id == fact.id for each in standing.believed)
    return None if is_believed else _rival(standing, fact, since)


def _changes(
    fact: FactRow, is_new: bool, superseded: Sequence[UUID], doubted: FactRow | None
) -> list[NewChange]:
    own = NewChange(new_id(), fact.id, "remembered" if is_new else "supported")
    changes = [own, *(NewChange(new_id(), id_, "superseded", fact.id) for id_ in superseded)]
    if doubted is not None:
        changes.append(NewChange(new_id(), doubted.id, "disputed", fact.id))
    return changes

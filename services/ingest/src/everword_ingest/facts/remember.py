"""Remember a fact: it takes the place of what held before, or becomes one more piece of evidence for what is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.tokens import ConsistencyToken
from everword.facts import store, timeline
from everword.facts.attributes import find_attribute
from everword.facts.model import Interval, Ruling, Source, State, value_hash
from everword.facts.store import FactRow, NewChange, NewEvidence
from everword.facts.timeline import NOTHING, Change
from everword.facts.writer import Audit, Standing, Written, add_evidence, apply, hold
from everword_ingest.facts.evidence import check_evidence, to_store
from everword_ingest.facts.model import Claim, Outcome
from everword_ingest.requests import claim_request
from everword_ingest.store import highest_passage, update_request


@dataclass(frozen=True)
class _Remembered:
    """What was written for a claim."""

    fact_id: UUID
    written: Written
    superseded: Sequence[UUID]


async def remember(
    database: Database,
    namespace: NamespaceScope,
    claim: Claim,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> Outcome:
    """Store a fact, or find that an equal call did. Raises RequestIdConflict, MemoryNotFound and InvalidArgument.

    `wake` is called after the commit: there may be work to publish.
    """
    async with database.write(namespace.id) as write:
        conn, superseded = write.conn, list[UUID]()
        earlier = await claim_request(conn, namespace.id, request_id, body_hash)
        if earlier is None:
            remembered = await _write(conn, namespace.id, claim)
            fact_id, superseded = remembered.fact_id, list(remembered.superseded)
            if request_id:
                await update_request(conn, namespace.id, request_id, [fact_id])
        else:
            [fact_id] = earlier.message_ids
        shown = await store.show_facts(conn, namespace.id, [fact_id, *superseded])
        fact = shown[fact_id]
        memory_ids = [fact.memory_id] if fact.memory_id else []
        highest = await highest_passage(conn, namespace.id, memory_ids)
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    others = [shown[id_] for id_ in superseded]
    return Outcome(fact, others, token, replayed=earlier is not None)


async def _write(conn: Connection, namespace_id: int, claim: Claim) -> _Remembered:
    settings = await get_namespace_settings(conn, namespace_id)
    checked = await check_evidence(conn, namespace_id, claim.evidence)
    several = _is_several(claim)
    standing = await hold(conn, namespace_id, claim.key, claim.value if several else None)
    pieces = to_store(checked, standing.now)
    since = claim.since or max(piece.said_at for piece in pieces)
    if claim.until is not None and claim.until <= since:
        raise InvalidArgument(violations=(("valid_until_time", "must be after valid_from_time"),))
    fact = standing.of_value(claim.value)
    is_new = fact is None
    fact = _renewed(fact, pieces) if fact else _new(claim, several, since)
    standing = standing.with_fact(fact)
    if is_new:
        await store.insert_fact(conn, namespace_id, fact)
    told = replace(fact, source=claim.source, hypothesis=claim.hypothesis)
    await add_evidence(conn, standing, told, pieces)
    change = _decide(standing, fact, claim, pieces, since)
    doubted = _doubted(standing, fact, since) if change == NOTHING else None
    if doubted is not None:
        against = [replace(piece, id=new_id(), contradicts=True) for piece in pieces]
        sourced = replace(doubted, source=claim.source, hypothesis=claim.hypothesis)
        await add_evidence(conn, standing, sourced, against)
    superseded = sorted(change.superseded_ids - {fact.id})
    changes = _changes(fact, is_new, superseded, doubted)
    audit = Audit("person" if claim.source is Source.PERSON else "agent")
    written = await apply(conn, settings, standing, change, changes, audit)
    return _Remembered(fact.id, written, superseded)


def _is_several(claim: Claim) -> bool:
    known = find_attribute(claim.key.attribute).several
    return known if claim.several is None else claim.several


def _new(claim: Claim, several: bool, since: datetime) -> FactRow:
    attribute = find_attribute(claim.key.attribute)
    return FactRow(
        id=new_id(),
        subject=claim.key.subject,
        category=claim.category or attribute.category,
        attribute=claim.key.attribute,
        value=claim.value,
        several=several,
        source=claim.source,
        hypothesis=claim.hypothesis,
        state=State.SUSPECTED,
        confidence=0.0,
        lifetime_days=claim.lifetime_days or attribute.lifetime_days,
        first_seen_at=since,
        last_seen_at=since,
        supporting=0,
        contradicting=0,
        agent=claim.agent,
        ruling=None,
        ruled_at=None,
        value_hash=value_hash(claim.value),
    )


def _renewed(fact: FactRow, pieces: Sequence[NewEvidence]) -> FactRow:
    """Return a fact without its ruling, where it was wrong once, and something newer says that it is right."""
    said_at = max(piece.said_at for piece in pieces)
    if fact.ruling == Ruling.WRONG and fact.ruled_at and said_at > fact.ruled_at:
        return replace(fact, ruling=None, ruled_at=None)
    return fact


def _decide(
    standing: Standing,
    fact: FactRow,
    claim: Claim,
    pieces: Sequence[NewEvidence],
    since: datetime,
) -> Change:
    """Return what a claim changes.

    Nothing, where a guess meets what is known, or what somebody set right since it was said.
    """
    if all(piece.contradicts for piece in pieces) or fact.ruling == Ruling.WRONG:
        return NOTHING
    rival = _rival(standing, fact, since)
    if rival is not None:
        known = rival.state in (State.CONFIRMED, State.ESTABLISHED)
        said_at = max(piece.said_at for piece in pieces)
        ruled = rival.ruled_at is not None and said_at <= rival.ruled_at
        if ruled or (known and (claim.hypothesis or claim.source is Source.INFERRED)):
            return NOTHING
    return timeline.state(standing.believed, fact.id, since, claim.until, fact.several)


def _rival(standing: Standing, fact: FactRow, since: datetime) -> FactRow | None:
    """Return the other fact that holds at a moment, where there is one value at a time."""
    found = _covering(standing.believed, since)
    if fact.several or found is None or found.fact_id == fact.id:
        return None
    return standing.facts[found.fact_id]


def _doubted(standing: Standing, fact: FactRow, since: datetime) -> FactRow | None:
    """Return the fact that a claim speaks against without taking its place."""
    is_believed = any(each.fact_id == fact.id for each in standing.believed)
    return None if is_believed else _rival(standing, fact, since)


def _covering(believed: Sequence[Interval], moment: datetime) -> Interval | None:
    return next((each for each in believed if each.covers(moment)), None)


def _changes(
    fact: FactRow, is_new: bool, superseded: Sequence[UUID], doubted: FactRow | None
) -> list[NewChange]:
    own = NewChange(new_id(), fact.id, "remembered" if is_new else "supported")
    changes = [own, *(NewChange(new_id(), id_, "superseded", fact.id) for id_ in superseded)]
    if doubted is not None:
        changes.append(NewChange(new_id(), doubted.id, "disputed", fact.id))
    return changes

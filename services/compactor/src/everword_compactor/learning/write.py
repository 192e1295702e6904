"""Writes the claims of a message through the writer of facts, while the job is this worker's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.ids import new_id
from everword.facts.attributes import find_attribute
from everword.facts.model import USER, FactSource, Key, value_hash
from everword.facts.statement import FactStatement
from everword.facts.statement_writer import (
    plan_correction,
    plan_opposites,
    plan_retraction,
    plan_statement,
)
from everword.facts.store import NewEvidence
from everword.facts.writer import (
    ChangeReason,
    FactPlan,
    LockedAttribute,
    lock_all_attributes,
    write_plans,
)
from everword.jobs.store import StartedJob
from everword.jobs.task import LeaseLost
from everword.people.model import MessageWords, RelationStatus
from everword.people.writer import meet_people, take_events
from everword_compactor.learning.corrections import Correction, correct_fact
from everword_compactor.learning.extract.model import Modality, SpokenClaim
from everword_compactor.learning.moments import ValidSpan, span_of
from everword_compactor.learning.opposites import SENTENCES, find_opposite
from everword_compactor.learning.people import NamedPerson, event_mention, person_mention
from everword_compactor.learning.store import (
    LearnableMessage,
    LearningProgress,
    list_stated_facts,
    lock_learning_progress,
)

_AUDIT = ChangeReason("machine", "learned from what was said")


#: Attributes without a validity: they are times themselves, or change from day to day.
_TIMELESS = frozenset(
    {"birthday", "age", "appointment", "deadline", "name", "mood", "weight", "goal"}
)


@dataclass(frozen=True)
class ClaimingMessage:
    """A message with its claims."""

    message: LearnableMessage
    claims: Sequence[SpokenClaim]
    #: Whom it speaks of.
    subject: str = USER
    people: Sequence[NamedPerson] = ()
    #: The earlier messages that it corrects.
    corrections: Sequence[Correction] = ()


def subject_of(subject: str, author: str, speakers: Sequence[str]) -> str:
    """Return the subject of an author's claims, given the conversation's subject and speakers.

    If several people speak, each speaks of themselves.
    """
    is_alone = not {each.casefold() for each in speakers} - {author.casefold()}
    if subject and (is_alone or not author or author.casefold() == subject.casefold()):
        return subject
    return author or USER


async def write_claims(
    database: Database, job: StartedJob, conversation: LearningProgress, claiming: ClaimingMessage
) -> None:
    """Store the claims of a message, and move on to it. Raises LeaseLost, and stores nothing then."""
    namespace_id, message = job.namespace_id, claiming.message
    async with database.transaction(namespace_id) as conn:
        settings = await get_namespace_settings(conn, namespace_id)
        by_subject = await _claims_of_corrections(conn, namespace_id, claiming, conversation.zone)
        by_subject[claiming.subject] = [*claiming.claims, *by_subject.get(claiming.subject, ())]
        untrusted = settings.trust.is_open(conversation.channel)
        former = list[NamedPerson]()
        # Lock attributes in a fixed order, so that two writers cannot deadlock.
        for subject, of_subject in sorted(by_subject.items()):
            about = replace(claiming, subject=subject)
            claims = sorted(_with_endings(of_subject), key=lambda each: each.attribute)
            keys = list(dict.fromkeys(Key(subject, each.attribute) for each in claims))
            keys += [key.opposite for key in keys if key.opposite and key.opposite not in keys]
            while claims:
                locked = await lock_all_attributes(conn, namespace_id, settings.trust, keys)
                former += _former_partners(locked, about, claims)
                plans, claims = _plan(locked, conversation, about, claims, untrusted)
                if plans:
                    await write_plans(conn, settings, plans, _AUDIT)
        # Anybody may write in open channels, and people have no evidence that is marked as untrusted.
        if not untrusted:
            await _write_people(conn, namespace_id, conversation, claiming, former)
        after, through = conversation.learned_seq, message.seq
        if not await lock_learning_progress(
            conn, namespace_id, conversation.id, after, through, job
        ):
            raise LeaseLost


async def _write_people(
    conn: Connection,
    namespace_id: int,
    conversation: LearningProgress,
    claiming: ClaimingMessage,
    former: Sequence[NamedPerson],
) -> None:
    """Store the people and events of a message; Sleep adds those that only a model recognises."""
    message = claiming.message
    people = [
        person_mention(each, _said(conversation, message, each.quote))
        for each in (*claiming.people, *former)
    ]
    await meet_people(conn, namespace_id, claiming.subject, people)
    events = [
        event_mention(each, _said(conversation, message, each.quote), conversation.zone)
        for each in claiming.claims
    ]
    found = [each for each in events if each is not None]
    await take_events(conn, namespace_id, claiming.subject, found)


def _said(conversation: LearningProgress, message: LearnableMessage, quote: str) -> MessageWords:
    return MessageWords(message.id, conversation.id, quote, message.occurred_at)


def _former_partners(
    budget_statuses: Mapping[Key, LockedAttribute],
    claiming: ClaimingMessage,
    claims: Sequence[SpokenClaim],
) -> list[NamedPerson]:
    """Return the partners of relations that have ended, according to a message."""
    said_at = claiming.message.occurred_at
    locked = budget_statuses.get(Key(claiming.subject, "partner"))
    ends = [c for c in claims if c.attribute == "partner" and c.modality is Modality.RETRACTION]
    return [
        NamedPerson(locked.facts[each.fact_id].value, "", claim.quote, RelationStatus.ENDED)
        for claim in ends
        if locked is not None
        for each in locked.believed
        if each.covers(said_at)
        and claim.value.lower() in ("", locked.facts[each.fact_id].value.lower())
    ]


def _with_endings(claims: Sequence[SpokenClaim]) -> list[SpokenClaim]:
    """Return claims with a retraction before each instruction: it ends an earlier one that contradicts it."""
    endings = [
        replace(claim, modality=Modality.RETRACTION)
        for claim in claims
        if claim.attribute in SENTENCES and claim.modality is Modality.STATEMENT
    ]
    return [*endings, *claims]


async def _claims_of_corrections(
    conn: Connection, namespace_id: int, claiming: ClaimingMessage, zone: str
) -> dict[str, list[SpokenClaim]]:
    """Return claims that end the facts of corrected messages, by subject, unless the message has such a claim."""
    if not claiming.corrections:
        return {}
    corrected = [each.corrected_id for each in claiming.corrections]
    facts = await list_stated_facts(conn, namespace_id, corrected)
    own = {(claiming.subject, each.attribute) for each in claiming.claims}
    found = dict[str, list[SpokenClaim]]()
    for fact in facts:
        if (fact.subject, fact.attribute) not in own:
            claims = correct_fact(fact, claiming.corrections, claiming.message, zone)
            found.setdefault(fact.subject, []).extend(claims)
    return found


def _plan(
    budget_statuses: Mapping[Key, LockedAttribute],
    conversation: LearningProgress,
    claiming: ClaimingMessage,
    claims: Sequence[SpokenClaim],
    untrusted: bool,
) -> tuple[list[FactPlan], list[SpokenClaim]]:
    """Return the claims to write at once, and those of the same attribute that must see the first ones.

    Different values of an attribute with several values do not affect each other.
    """
    plans, later = list[FactPlan](), list[SpokenClaim]()
    planned = dict[Key, set[bytes]]()
    for claim in claims:
        key = Key(claiming.subject, claim.attribute)
        locked, hash_ = budget_statuses[key], value_hash(claim.value)
        first = key not in planned
        waits = any(each.attribute == claim.attribute for each in later)
        alongside = _allows_other_values(claim, locked) and hash_ not in planned.get(key, set())
        if waits or not (first or (alongside and planned[key])):
            later.append(claim)
            continue
        # An empty set keeps others out.
        planned.setdefault(key, set()).update({hash_} if alongside else set())
        plan = _plan_claim(locked, conversation, claiming, claim, untrusted)
        plans += [plan] if plan else []
        if key.opposite and claim.modality is Modality.STATEMENT:
            stated = _statement(conversation, claiming, claim, untrusted)
            plans += plan_opposites(budget_statuses[key.opposite], stated)
    return plans, later


def _allows_other_values(claim: SpokenClaim, locked: LockedAttribute) -> bool:
    """Return whether a claim leaves all other values of its attribute unchanged."""
    states = claim.modality in (Modality.STATEMENT, Modality.HYPOTHESIS)
    several = find_attribute(claim.attribute).several
    return states and several and all(fact.several for fact in locked.facts.values())


def _plan_claim(
    locked: LockedAttribute,
    conversation: LearningProgress,
    claiming: ClaimingMessage,
    claim: SpokenClaim,
    untrusted: bool,
) -> FactPlan | None:
    """Return the plan to write a claim; None if there is nothing to write."""
    if untrusted and claim.attribute in SENTENCES:
        return None  # Only trusted people decide how to be answered.
    told = _statement(conversation, claiming, claim, untrusted)
    span = _span(locked, claim, claiming.message, conversation.zone)
    told = replace(told, since=span.since or told.since, until=span.until)
    if claim.modality is Modality.RETRACTION and claim.attribute in SENTENCES:
        opposite = find_opposite(_held_values(locked, told.since), claim.value)
        return plan_retraction(locked, replace(told, value=opposite)) if opposite else None
    if claim.modality is Modality.RETRACTION:
        ended = replace(told, value=_resolve_partial_value(locked, claim.value, told.since))
        return plan_retraction(locked, ended)
    if claim.modality is Modality.CORRECTION:
        return plan_correction(locked, told, claim.wrong)
    return plan_statement(locked, told)[0]


def _statement(
    conversation: LearningProgress, claiming: ClaimingMessage, claim: SpokenClaim, untrusted: bool
) -> FactStatement:
    """Return a claim as a statement that holds since its message."""
    message = claiming.message
    piece = NewEvidence(
        new_id(), message.id, conversation.id, False, claim.quote, "", message.occurred_at
    )
    return FactStatement(
        Key(claiming.subject, claim.attribute),
        claim.value,
        FactSource.STATED,
        message.occurred_at,
        [piece],
        hypothesis=claim.modality is Modality.HYPOTHESIS,
        agent=conversation.agent,
        is_untrusted=untrusted,
    )


def _span(
    locked: LockedAttribute, claim: SpokenClaim, message: LearnableMessage, zone: str
) -> ValidSpan:
    """Return the validity in a claim's own words, unless known facts contradict it."""
    if not claim.around or claim.attribute.rpartition("_")[2] in _TIMELESS:
        return ValidSpan()
    span = span_of(claim.around, message.occurred_at, zone, happens=claim.happens)
    if span.since is None or claim.modality is Modality.CORRECTION:
        return ValidSpan(until=span.until if claim.modality is Modality.STATEMENT else None)
    since = span.since
    if claim.modality is Modality.RETRACTION:
        # A value that began after that time would stay current.
        is_known = any(each.covers(since) for each in locked.believed)
        return span if is_known else ValidSpan()
    own = locked.of_value(claim.value)
    rivals = [each for each in locked.believed if own is None or each.fact_id != own.id]
    # Another value was said to hold in between: this one surely holds now, and who knows since when.
    later = any(since <= each.since <= message.occurred_at for each in rivals)
    several = find_attribute(claim.attribute).several
    return ValidSpan() if later and not several else span


def _resolve_partial_value(locked: LockedAttribute, value: str, at: datetime) -> str:
    """Return the full value for a part of it: "I sold the Clio" ends `Renault Clio`."""
    if not value or locked.of_value(value):
        return value
    requested = set(value.lower().split())
    held = _held_values(locked, at)
    meant = [each for each in held if requested <= set(each.lower().split())]
    return meant[0] if len(meant) == 1 else value


def _held_values(locked: LockedAttribute, at: datetime) -> set[str]:
    return {locked.facts[each.fact_id].value for each in locked.believed if each.covers(at)}

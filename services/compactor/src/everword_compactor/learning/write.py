"""Writes what a message claims, through the one writer of facts, while the job is this worker's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.ids import new_id
from everword.facts.attributes import find_attribute
from everword.facts.model import USER, Key, Source
from everword.facts.store import NewEvidence
from everword.facts.told import Told, correct_fact, retract_fact, state_fact
from everword.facts.writer import Audit, Standing, hold
from everword.jobs.store import StartedJob
from everword.jobs.task import LeaseLost
from everword.text.credentials import mask_credentials
from everword_compactor.learning.extract.model import Claim, Modality
from everword_compactor.learning.moments import Span, span_of
from everword_compactor.learning.store import Learned, Message, hold_learned

_AUDIT = Audit("machine", "learned from what was said")


#: Of these nothing is told from when they hold: they are times themselves, or change by the day.
_TIMELESS = frozenset(
    {"birthday", "age", "appointment", "deadline", "name", "mood", "weight", "goal"}
)


@dataclass(frozen=True)
class ClaimingMessage:
    """A message with what it claims."""

    message: Message
    claims: Sequence[Claim]
    #: Whom it speaks of.
    subject: str = USER


def subject_of(subject: str, author: str, speakers: Sequence[str]) -> str:
    """Return whom an author speaks of, in a conversation with a subject, or none, where these users speak.

    Where several speak, each speaks of themselves.
    """
    is_alone = not {each.casefold() for each in speakers} - {author.casefold()}
    if subject and (is_alone or not author or author.casefold() == subject.casefold()):
        return subject
    return author or USER


async def write_claims(
    database: Database, job: StartedJob, conversation: Learned, claiming: ClaimingMessage
) -> None:
    """Store the claims of a message, and move on to it. Raises LeaseLost, and stores nothing then."""
    namespace_id, message = job.namespace_id, claiming.message
    async with database.transaction(namespace_id) as conn:
        settings = await get_namespace_settings(conn, namespace_id)
        # Of two writers one waits for the other, and never each for the other.
        for claim in sorted(claiming.claims, key=lambda each: each.attribute):
            if not settings.masks_credentials or not _holds_credentials(claim.value):
                await _write(conn, settings, namespace_id, conversation, claiming, claim)
        after, through = conversation.learned_seq, message.seq
        if not await hold_learned(conn, namespace_id, conversation.id, after, through, job):
            raise LeaseLost


async def _write(
    conn: Connection,
    settings: NamespaceSettings,
    namespace_id: int,
    conversation: Learned,
    claiming: ClaimingMessage,
    claim: Claim,
) -> None:
    message = claiming.message
    key = Key(claiming.subject, claim.attribute)
    standing = await hold(conn, namespace_id, key)
    quote = mask_credentials(claim.quote) if settings.masks_credentials else claim.quote
    piece = NewEvidence(
        new_id(), message.id, conversation.id, False, quote, "", message.occurred_at
    )
    span = _span(standing, claim, message, conversation.zone)
    told = Told(
        key,
        claim.value,
        Source.STATED,
        span.since or message.occurred_at,
        [piece],
        until=span.until,
        hypothesis=claim.modality is Modality.HYPOTHESIS,
        agent=conversation.agent,
    )
    if claim.modality is Modality.RETRACTION:
        ended = replace(told, value=_meant_value(standing, claim.value, told.since))
        await retract_fact(conn, settings, standing, ended, _AUDIT)
    elif claim.modality is Modality.CORRECTION:
        await correct_fact(conn, settings, standing, told, claim.wrong, _AUDIT)
    else:
        await state_fact(conn, settings, standing, told, _AUDIT)


def _span(standing: Standing, claim: Claim, message: Message, zone: str) -> Span:
    """Return from when until when a claim holds by its own words, where what is known does not speak against it."""
    if not claim.around or claim.attribute.rpartition("_")[2] in _TIMELESS:
        return Span()
    span = span_of(claim.around, message.occurred_at, zone, happens=claim.happens)
    if span.since is None or claim.modality is Modality.CORRECTION:
        return Span(until=span.until if claim.modality is Modality.STATEMENT else None)
    since = span.since
    if claim.modality is Modality.RETRACTION:
        # What was said to hold after that time would be left standing.
        is_known = any(each.covers(since) for each in standing.believed)
        return span if is_known else Span()
    own = standing.of_value(claim.value)
    rivals = [each for each in standing.believed if own is None or each.fact_id != own.id]
    # Another value was said to hold in between: this one surely holds now, and who knows since when.
    later = any(since <= each.since <= message.occurred_at for each in rivals)
    several = find_attribute(claim.attribute).several
    return Span() if later and not several else span


def _meant_value(standing: Standing, value: str, at: datetime) -> str:
    """Return the one value that somebody means who says a part of it: "I sold the Clio" ends `Renault Clio`."""
    if not value or standing.of_value(value):
        return value
    wanted = set(value.lower().split())
    held = {standing.facts[each.fact_id].value for each in standing.believed if each.covers(at)}
    meant = [each for each in held if wanted <= set(each.lower().split())]
    return meant[0] if len(meant) == 1 else value


def _holds_credentials(value: str) -> bool:
    return mask_credentials(value) != value

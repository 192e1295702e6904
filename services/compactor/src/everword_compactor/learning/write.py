"""Writes what a message claims, through the one writer of facts, while the job is this worker's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.ids import new_id
from everword.facts.model import USER, Key, Source
from everword.facts.store import NewEvidence
from everword.facts.told import Told, correct_fact, retract_fact, state_fact
from everword.facts.writer import Audit, hold
from everword.jobs.store import StartedJob
from everword.jobs.task import LeaseLost
from everword.text.credentials import mask_credentials
from everword_compactor.learning.extract.model import Claim, Modality
from everword_compactor.learning.store import Learned, Message, hold_learned

_AUDIT = Audit("machine", "learned from what was said")


@dataclass(frozen=True)
class ClaimingMessage:
    """A message with what it claims."""

    message: Message
    claims: Sequence[Claim]


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
                await _write(conn, settings, namespace_id, conversation, message, claim)
        after, through = conversation.learned_seq, message.seq
        if not await hold_learned(conn, namespace_id, conversation.id, after, through, job):
            raise LeaseLost


async def _write(
    conn: Connection,
    settings: NamespaceSettings,
    namespace_id: int,
    conversation: Learned,
    message: Message,
    claim: Claim,
) -> None:
    key = Key(conversation.subject or message.author or USER, claim.attribute)
    standing = await hold(conn, namespace_id, key)
    quote = mask_credentials(claim.quote) if settings.masks_credentials else claim.quote
    piece = NewEvidence(
        new_id(), message.id, conversation.id, False, quote, "", message.occurred_at
    )
    told = Told(
        key,
        claim.value,
        Source.STATED,
        message.occurred_at,
        [piece],
        hypothesis=claim.modality is Modality.HYPOTHESIS,
        agent=conversation.agent,
    )
    if claim.modality is Modality.RETRACTION:
        await retract_fact(conn, settings, standing, told, _AUDIT)
    elif claim.modality is Modality.CORRECTION:
        await correct_fact(conn, settings, standing, told, claim.wrong, _AUDIT)
    else:
        await state_fact(conn, settings, standing, told, _AUDIT)


def _holds_credentials(value: str) -> bool:
    return mask_credentials(value) != value

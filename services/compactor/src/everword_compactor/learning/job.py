"""The task `learn`: finds facts in the messages of a conversation's users.

It reads new messages batch by batch. Few messages claim anything: each of these is written in a transaction of its own,
together with the progress. After an interruption, the next run continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from everword.db.blocking import Connection
from everword.facts.spellings import find_spellings
from everword.jobs.task import JobRun, LeaseLost
from everword.text.credentials import MARK, mask_credentials
from everword.text.instructions import contains_model_instructions
from everword_compactor.jobs.async_database import open_database
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.namespace_job import NamespaceJob, open_job
from everword_compactor.learning import store
from everword_compactor.learning.corrections import find_corrections, store_corrections
from everword_compactor.learning.extract.claims import extract
from everword_compactor.learning.extract.model import Modality, SpokenClaim
from everword_compactor.learning.moments import dated
from everword_compactor.learning.people import find_named_people, relation_claims
from everword_compactor.learning.store import LearnableMessage, LearningProgress
from everword_compactor.learning.write import ClaimingMessage, subject_of, write_claims

#: Messages that are read at once.
BATCH = 200
#: Number of messages before and after that are searched for other speakers.
NEARBY = 500
_PLANS = frozenset({"appointment", "deadline"})
#: In the place of a credential: no value of anything.
_REMOVED = MARK.strip("[]")
#: How many messages back a correction may refer to.
RECENT = 8


class Learning:
    """Learns from a conversation."""

    def __init__(self, worker_context: WorkerContext) -> None:
        self._worker_context = worker_context

    def run(self, run: JobRun) -> datetime | None:
        """Learn from the conversation's new messages, until others wait; returns the time of further work."""
        with open_job(self._worker_context, run) as job:
            if job is None:
                return None
            while self._do_batch(job, UUID(run.job.subject)):
                if run.other_namespaces_wait():
                    return self._worker_context.now()
        return None

    def _do_batch(self, job: NamespaceJob, conversation_id: UUID) -> bool:
        """Process one batch; False if there are no more. Raises LeaseLost."""
        with job.transaction() as conn:
            conversation = store.read_learned(conn, job.namespace_id, conversation_id)
            if conversation is None:
                return False
            after = max(0, conversation.learned_seq - RECENT)
            messages = store.next_learnable_messages(
                conn, job.namespace_id, conversation_id, after, BATCH + RECENT
            )
        is_learned = job.namespace.channels.learns(conversation.channel)
        heard: Sequence[LearnableMessage] = messages if is_learned else ()
        heard = _without_orders(heard, job.namespace.trust.is_open(conversation.channel))
        if job.namespace.masks_credentials:
            heard = [_masked(each, job.run.heartbeat) for each in heard]
        claiming = self._with_corrections(
            job, conversation, heard, find_claims(heard, conversation)
        )
        if claiming:
            claiming = self._with_subjects(job, conversation, claiming)
            conversation = asyncio.run(self._write(job, conversation, claiming))
        through = messages[-1].seq if messages else conversation.learned_seq
        if through > conversation.learned_seq:
            self._advance(job, conversation, through)
        return len(messages) == BATCH + RECENT

    def _with_corrections(
        self,
        job: NamespaceJob,
        conversation: LearningProgress,
        messages: Sequence[LearnableMessage],
        claiming: Sequence[ClaimingMessage],
    ) -> list[ClaimingMessage]:
        """Store the corrections of earlier messages; return the messages with claims or corrections, in order."""
        found = {each.message.id: each for each in claiming}
        before = ""
        for message in messages:
            asked, before = before, message.content
            if not message.said or message.seq <= conversation.learned_seq:
                continue
            job.run.heartbeat()
            if corrections := find_corrections(job, conversation, message, asked):
                store_corrections(job, message, corrections)
                own = found.get(message.id) or ClaimingMessage(message, [])
                found[message.id] = replace(own, corrections=corrections)
        return sorted(found.values(), key=lambda each: each.message.seq)

    def _with_subjects(
        self, job: NamespaceJob, conversation: LearningProgress, claiming: Sequence[ClaimingMessage]
    ) -> list[ClaimingMessage]:
        """Return messages with the subject of each."""
        after, through = claiming[0].message.seq - NEARBY, claiming[-1].message.seq + NEARBY
        with job.transaction() as conn:
            speakers = store.list_speakers(conn, job.namespace_id, conversation.id, after, through)
            authors = [each.message.author for each in claiming]
            spelled = find_spellings(conn, job.namespace_id, [*authors, *speakers])
        found = []
        for each in claiming:
            author = each.message.author
            subject = subject_of(conversation.subject, author, speakers)
            # A subject named by the caller is a key of the caller, and keeps its spelling.
            learned = subject == author != conversation.subject
            found.append(replace(each, subject=spelled.get(author, author) if learned else subject))
        return found

    def _advance(self, job: NamespaceJob, conversation: LearningProgress, through: int) -> None:
        def move(conn: Connection) -> None:
            after = conversation.learned_seq
            if not store.advance_learned(conn, job.namespace_id, conversation.id, after, through):
                raise LeaseLost

        job.record(move)

    async def _write(
        self, job: NamespaceJob, conversation: LearningProgress, claiming: Sequence[ClaimingMessage]
    ) -> LearningProgress:
        """Write what messages claim, one after the other; returns how far that came."""
        async with open_database(self._worker_context.database.settings) as database:
            for each in claiming:
                await write_claims(database, job.run.job, conversation, each)
                conversation = replace(conversation, learned_seq=each.message.seq)
                job.run.checkpoint()
        return conversation


def _without_orders(
    messages: Sequence[LearnableMessage], untrusted: bool
) -> Sequence[LearnableMessage]:
    """Return messages without their author if they are untrusted and address models, so that no fact is learned from
    them.
    """
    if not untrusted:
        return messages
    return [
        replace(each, said=each.said and not contains_model_instructions(each.content))
        for each in messages
    ]


def _masked(message: LearnableMessage, heartbeat: Callable[[], None]) -> LearnableMessage:
    """Return a message without credentials: no value and no quotation holds one."""
    if not message.said:
        return message
    heartbeat()
    return replace(message, content=mask_credentials(message.content))


def find_claims(
    messages: Sequence[LearnableMessage], conversation: LearningProgress
) -> list[ClaimingMessage]:
    """Return the unread messages with claims or named people; corrections may refer to earlier messages."""
    found: list[ClaimingMessage] = []
    authors = {each.author.casefold() for each in messages if each.said and each.author}
    agent = conversation.agent if len(authors) > 1 else None
    earlier: list[tuple[LearnableMessage, SpokenClaim]] = []
    for message in messages:
        if not message.said:
            continue
        recent = [
            claim
            for said, claim in earlier
            if said.seq >= message.seq - RECENT and said.author == message.author
        ]
        claims = [
            _on_its_day(claim, message.occurred_at, conversation.zone)
            for claim in extract(
                message.content, recent, (message.author, conversation.subject), agent
            )
            if _REMOVED not in claim.value
        ]
        earlier += [(message, claim) for claim in claims]
        if message.seq <= conversation.learned_seq:
            continue
        people = find_named_people(message.content, claims, (message.author, conversation.subject))
        if claims or people:
            claims += relation_claims(people, claims)
            found.append(ClaimingMessage(message, claims, people=people))
    return found


def _on_its_day(claim: SpokenClaim, said_at: datetime, zone: str) -> SpokenClaim:
    """Return a claim of a plan with the day that its words mean."""
    if claim.slot != "when" or claim.attribute.rpartition("_")[2] not in _PLANS:
        return claim
    value = dated(claim.value, said_at, zone)
    if claim.modality is Modality.CORRECTION and value == claim.wrong:
        return replace(claim, value=value, modality=Modality.STATEMENT, wrong="")
    return replace(claim, value=value)

"""Corrections and updates of earlier messages, found in users' messages without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import regex

from everword.db.blocking import Connection
from everword.text.attribution import blank_pasted
from everword.text.credentials import mask_credentials
from everword.text.lexemes import any_of_query
from everword_compactor.jobs.namespace_job import NamespaceJob
from everword_compactor.learning import store
from everword_compactor.learning.extract.model import Modality, SpokenClaim
from everword_compactor.learning.moments import dated
from everword_compactor.learning.store import EvidencedFact, LearnableMessage, LearningProgress
from everword_compactor.learning.updates.clauses import MAX_CHARS
from everword_compactor.learning.updates.detect import (
    MessageUpdate,
    UpdateKind,
    find_updates,
    may_update,
    topic_words,
)

#: Number of messages before it in its conversation that a message is compared with, and of similar ones elsewhere.
NEAR = 60
#: Number of topic words that similar messages are searched by.
_MOST_WORDS = 12


#: Characters of a correction that are quoted as evidence.
_QUOTE_CHARS = 300
#: Maximum words of a fact's value in addition to the corrected part, such as `at 16:30`.
_MAX_OTHER_WORDS = 3
#: The day that a plan's words mean, as `dated` adds it.
_DAY = regex.compile(r"\s\(\d{4}-\d\d-\d\d[^)]*\)$")


@dataclass(frozen=True)
class Correction:
    """The update of an earlier message."""

    corrected_id: UUID
    update: MessageUpdate


def find_corrections(
    job: NamespaceJob, conversation: LearningProgress, message: LearnableMessage, before: str
) -> list[Correction]:
    """Return the earlier messages that a user's message corrects or updates; `before` is the message before it."""
    text = blank_pasted(message.content, (message.author, conversation.subject))
    asked = before if before.rstrip().endswith("?") and len(before) <= MAX_CHARS else ""
    if not may_update(text, asked):
        return []
    # In an open channel, strangers could correct messages of other conversations.
    elsewhere = not job.namespace.trust.is_open(conversation.channel)
    words = any_of_query(topic_words(text)[:_MOST_WORDS], job.namespace.text_search_config)
    with job.transaction() as conn:
        earlier = store.list_earlier_messages(
            conn, job.namespace_id, message.id, words, NEAR, elsewhere
        )
    masks = job.namespace.masks_credentials
    texts = [mask_credentials(each.content) if masks else each.content for each in earlier]
    return [Correction(earlier[each.place].id, each) for each in find_updates(text, texts, asked)]


def store_corrections(
    job: NamespaceJob, message: LearnableMessage, corrections: Sequence[Correction]
) -> None:
    """Store the corrections that a message makes. Raises LeaseLost."""

    def insert(conn: Connection) -> None:
        corrected_ids = [each.corrected_id for each in corrections]
        store.lock_sources(conn, job.namespace_id, [message.id, *corrected_ids])
        store.insert_corrections(
            conn,
            job.namespace_id,
            [message.id] * len(corrections),
            corrected_ids,
            [int(each.update.kind) for each in corrections],
            [each.update.value for each in corrections],
            [each.update.current for each in corrections],
            job.worker_context.now(),
        )

    job.record(insert)


def correct_fact(
    fact: EvidencedFact,
    corrections: Sequence[Correction],
    message: LearnableMessage,
    zone: str,
) -> list[SpokenClaim]:
    """Return claims that end the fact of a corrected message, with the current value if the correction names it."""
    [update] = [each.update for each in corrections if each.corrected_id == fact.message_id]
    text = message.content[:_QUOTE_CHARS]
    place = fact.value.lower().find(update.value.lower()) if update.value else -1
    if update.kind == UpdateKind.RESTORED or place < 0:
        return []
    # In "plan a week in Lisbon in May", the month is not the value.
    others = _DAY.sub("", fact.value[:place] + fact.value[place + len(update.value) :])
    if len(others.split()) > _MAX_OTHER_WORDS:
        return []
    value = ""
    if update.current:
        value = fact.value[:place] + update.current + fact.value[place + len(update.value) :]
        if day := _DAY.search(value):
            value = dated(value[: day.start()], message.occurred_at, zone)
    if value and update.kind == UpdateKind.CORRECTED:
        return [SpokenClaim(fact.attribute, value, Modality.CORRECTION, text, wrong=fact.value)]
    ended = SpokenClaim(fact.attribute, fact.value, Modality.RETRACTION, text)
    if not value:
        return [ended]
    stated = SpokenClaim(fact.attribute, value, Modality.STATEMENT, text)
    return [ended, stated] if fact.several else [stated]

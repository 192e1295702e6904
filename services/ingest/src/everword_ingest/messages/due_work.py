"""Background work that new messages make due, marked in the transaction that stores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everword.db.arrays import Column
from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.compaction import CompactionSettings
from everword.domain.periods import Calendar
from everword.index.writer import vectors_job
from everword.jobs.enqueue import (
    COMPACT,
    LEARN,
    SESSION_IDLE_S,
    SLEEP,
    TOOL_SENTENCES,
    DueJob,
    enqueue,
    shard,
)
from everword_ingest.conversations.model import LockedConversation
from everword_ingest.conversations.store import end_earlier_sessions
from everword_ingest.messages import store
from everword_ingest.messages.model import NumberedMessage

#: Seconds without a new message before facts are learned, so that messages sent together are read together.
LEARN_AFTER_S = 2.0
_USER = 2


def pending_days(
    numbered: Sequence[NumberedMessage], settings: NamespaceSettings, channel: str
) -> dict[str, Any]:
    """Return the arrays that `enqueue_days` takes: one element for each message that goes into a daily summary.

    Automated messages and empty ones do not, nor does a channel that its policy keeps out.
    """
    calendar = Calendar(settings.time_zone, settings.day_cutoff_minutes)
    said = [
        entry
        for entry in (numbered if settings.channels.rolls_up(channel) else ())
        if not entry.message.automated and entry.message.text.strip()
    ]
    return {
        "days": Column("date", calendar.days_of(entry.occurred_at for entry in said)),
        "instances": Column("text", [entry.instance for entry in said]),
        "seqs": Column("int8", [entry.seq for entry in said]),
    }


async def schedule_work(
    conn: Connection,
    namespace_id: int,
    conversation: LockedConversation,
    numbered: Sequence[NumberedMessage],
    compaction: CompactionSettings,
) -> None:
    """Enqueue the jobs for new messages.

    A conversation is compacted at once if enough messages wait, otherwise after a while without messages; each message
    written by a person or model restarts that time.
    """
    written = [entry.message for entry in numbered if not entry.message.automated]
    tool_calls = [entry.id for entry in numbered if entry.message.needs_sentence]
    waiting = conversation.last_seq + len(numbered) - conversation.summarised_seq
    delay_s = 0.0 if waiting >= compaction.after_messages else compaction.idle_s
    due = [
        vectors_job(namespace_id, conversation.id),
        DueJob(namespace_id, COMPACT, str(conversation.id), delay_s),
    ]
    if any(message.role == _USER for message in written):
        due += [
            DueJob(namespace_id, LEARN, str(conversation.id), LEARN_AFTER_S),
            *await _due_sleeps(conn, namespace_id, conversation),
        ]
    if tool_calls:
        await store.enqueue_sentences(conn, namespace_id, tool_calls)
        due.append(DueJob(namespace_id, TOOL_SENTENCES, shard(conversation.id)))
    await enqueue(conn, due, postpone=bool(written))


async def _due_sleeps(
    conn: Connection, namespace_id: int, conversation: LockedConversation
) -> list[DueJob]:
    """Return the Sleep job of the conversation, due when it rests, and those of earlier ones, due at once.

    A new conversation of the same subject with the same agent on the same channel ends the earlier ones.
    """
    sleeps = {str(conversation.id): SESSION_IDLE_S}
    if conversation.last_seq == 0:
        ended = await end_earlier_sessions(conn, namespace_id, conversation)
        sleeps |= {str(id_): 0.0 for id_ in ended}
    return [DueJob(namespace_id, SLEEP, id_, delay_s) for id_, delay_s in sorted(sleeps.items())]

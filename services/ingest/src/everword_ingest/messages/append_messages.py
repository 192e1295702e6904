"""Store messages at the end of a conversation: one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection, Database
from everword.db.statements import Pending
from everword.domain.caller import NamespaceScope
from everword.domain.compaction import CompactionSettings
from everword.domain.ids import new_id, new_ids
from everword.domain.not_found import ConversationNotFound, MemoryNotFound
from everword.domain.tokens import ConsistencyToken
from everword.index.builders import Language
from everword.index.writer import Counts, IndexWriteResult, add_passages
from everword.quotas.usage import current_usage
from everword.telemetry import names
from everword.telemetry.tracing import counter
from everword_ingest.conversations import store as conversations
from everword_ingest.conversations.model import ConversationSpec, LockedConversation
from everword_ingest.messages import store
from everword_ingest.messages.batches import author_names, index_all_but_last, insert_messages
from everword_ingest.messages.due_work import pending_days, schedule_work
from everword_ingest.messages.external_ids import (
    ask_erased,
    ask_existing,
    check_erased,
    compare_existing,
)
from everword_ingest.messages.model import (
    AppendedMessage,
    AppendRequest,
    AppendResult,
    NewMessage,
    NumberedMessage,
)
from everword_ingest.messages.store import ExternalMessageRow
from everword_ingest.messages.titles import take_title
from everword_ingest.request_ids.claims import (
    RequestRow,
    claim_request,
    highest_passage,
    update_request,
)


async def append_messages(
    database: Database,
    namespace: NamespaceScope,
    request: AppendRequest,
    compaction: CompactionSettings,
    wake: Callable[[], None],
) -> AppendResult:
    """Store the messages of `request`, or find that it was done before.

    `wake` is called after the commit: there may be work to publish.
    Raises ConversationNotFound, SubjectConflict, MemoryNotFound, RequestIdConflict, ExternalIdConflict, ContentErased,
    RateLimitReached and StorageLimitReached; nothing is stored then.
    """
    async with current_usage().taking_messages(len(request.messages)) as existed:
        result = await _append(database, namespace, request, compaction, wake)
        old = (result.replayed or message.existed for message in result.messages)
        existed(sum(old))
    return result


async def _append(
    database: Database,
    namespace: NamespaceScope,
    request: AppendRequest,
    compaction: CompactionSettings,
    wake: Callable[[], None],
) -> AppendResult:
    async with database.write(namespace.id) as write:
        conn = write.conn
        conversation, settings = await _lock(conn, namespace.id, request.target)
        ids = new_ids(len(request.messages))
        # The conversation is locked, so its existing messages can be read together with the claim.
        existing = await ask_existing(conn, namespace.id, conversation.id, request.messages)
        erased = await ask_erased(conn, namespace.id, conversation, request)
        earlier = await claim_request(
            conn, namespace.id, request.request_id, request.body_hash, conversation.id, ids
        )
        if earlier is not None:
            stored = await _replay(conn, namespace.id, earlier)
        else:
            await check_erased(erased)
            stored = await _store(
                conn, namespace.id, settings, request, conversation, ids, existing, compaction
            )
    wake()
    token = ConsistencyToken(namespace.id, write.position, await stored.highest())
    stored.count()
    return AppendResult(conversation.id, stored.appended, token, replayed=earlier is not None)


async def _lock(
    conn: Connection, namespace_id: int, target: UUID | ConversationSpec
) -> tuple[LockedConversation, NamespaceSettings]:
    """Lock the target conversation until the transaction ends; return it and the settings of its namespace.

    A conversation that a spec names is created if it does not exist. Raises ConversationNotFound for an unknown id, and
    SubjectConflict if the spec names another subject than the conversation's.
    """
    conversation, settings = await conversations.lock_conversation(conn, namespace_id, target)
    if conversation is None:
        if isinstance(target, UUID):
            raise ConversationNotFound(conversation_id=target)
        # If another caller is faster, the insert waits for it and inserts nothing.
        await conversations.insert_conversation(conn, namespace_id, new_id(), target)
        conversation, settings = await conversations.lock_conversation(conn, namespace_id, target)
    if conversation is None:
        raise ConversationNotFound
    if isinstance(target, ConversationSpec):
        conversation.check_subject(target.subject)
    return conversation, settings


@dataclass(frozen=True)
class _Outcome:
    """The messages that an append stored or found."""

    appended: list[AppendedMessage]
    #: The highest id of a passage that was there before.
    known: int = 0
    #: Rows of the new passages, which become available with the commit.
    indexed: Pending[IndexWriteResult] | None = None
    placed: Sequence[NumberedMessage] = ()

    async def highest(self) -> int:
        """Return the highest id of a passage, once it is committed."""
        rows = await self.indexed.rows() if self.indexed else []
        return max([self.known, *(row.highest for row in rows)])

    def count(self) -> None:
        """Count the stored messages in metrics."""
        if self.placed:
            counter(names.INGEST_MESSAGES, "{message}").add(len(self.placed))
            counter(names.INGEST_BYTES, "By").add(_size(self.placed))


async def _replay(conn: Connection, namespace_id: int, earlier: RequestRow) -> _Outcome:
    """Return what an equal request returned before."""
    places = {
        row.id: row.seq
        for row in await store.find_messages(conn, namespace_id, earlier.message_ids)
    }
    highest = await highest_passage(conn, namespace_id, earlier.message_ids)
    appended = [AppendedMessage(id_, places[id_], existed=True) for id_ in earlier.message_ids]
    return _Outcome(appended, highest)


async def _store(
    conn: Connection,
    namespace_id: int,
    settings: NamespaceSettings,
    request: AppendRequest,
    conversation: LockedConversation,
    ids: Sequence[UUID],
    asked: Pending[ExternalMessageRow] | None,
    compaction: CompactionSettings,
) -> _Outcome:
    """Write the new messages. The query for existing ones was already sent."""
    await _check_parents(conn, namespace_id, request.messages)
    existing = compare_existing(request.messages, await asked.rows() if asked else [])
    numbered = _place(request.messages, ids, conversation, existing)
    indexed, highest = None, 0
    if numbered:
        indexed = await _write(conn, namespace_id, settings, conversation, numbered, compaction)
    if existing:
        # Existing messages may still be waiting for vectors, and the token covers them too.
        known = [row.id for row in existing.values()]
        highest = await highest_passage(conn, namespace_id, known)
    appended = _answers(request.messages, numbered, existing)
    if existing and request.request_id:
        final = [message.id for message in appended]
        await update_request(conn, namespace_id, request.request_id, final)
    return _Outcome(appended, highest, indexed, numbered)


async def _check_parents(
    conn: Connection, namespace_id: int, messages: Sequence[NewMessage]
) -> None:
    """Raise MemoryNotFound for an answer to a message that the namespace does not have."""
    parents = {message.parent_id for message in messages if message.parent_id}
    if parents:
        known = {row.id for row in await store.find_messages(conn, namespace_id, list(parents))}
        for missing in parents - known:
            raise MemoryNotFound(memory_id=missing)


def _place(
    messages: Sequence[NewMessage],
    ids: Sequence[UUID],
    conversation: LockedConversation,
    existing: dict[str, ExternalMessageRow],
) -> list[NumberedMessage]:
    """Give the new messages their ids and the next places in the conversation."""
    now = datetime.now(UTC)
    new = [
        (id_, message)
        for id_, message in zip(ids, messages, strict=True)
        if message.external_id is None or message.external_id not in existing
    ]
    return [
        NumberedMessage(
            id=id_,
            seq=seq,
            message=message,
            occurred_at=message.occurred_at or now,
            instance=message.instance or conversation.instance,
        )
        for seq, (id_, message) in enumerate(new, start=conversation.last_seq + 1)
    ]


def _answers(
    messages: Sequence[NewMessage],
    numbered: Sequence[NumberedMessage],
    existing: dict[str, ExternalMessageRow],
) -> list[AppendedMessage]:
    """Return the position of each message of the request, in its order."""
    new = iter(numbered)
    answers = []
    for message in messages:
        known = existing.get(message.external_id) if message.external_id else None
        if known:
            answers.append(AppendedMessage(known.id, known.seq, existed=True))
        else:
            entry = next(new)
            answers.append(AppendedMessage(entry.id, entry.seq))
    return answers


async def _write(
    conn: Connection,
    namespace_id: int,
    settings: NamespaceSettings,
    conversation: LockedConversation,
    numbered: Sequence[NumberedMessage],
    compaction: CompactionSettings,
) -> Pending[IndexWriteResult]:
    """Write messages and everything that belongs to them; the highest id of a passage comes with the commit."""
    turns = sum(not entry.message.automated for entry in numbered)
    scope = {"namespace_id": namespace_id, "conversation_id": conversation.id}
    language = Language(settings.text_search_config, settings.time_zone)
    indexed = numbered if settings.channels.indexes(conversation.channel) else []
    names = await author_names(indexed)
    owner = {"agent": conversation.agent, "subject": conversation.subject}
    await insert_messages(conn, {**scope, **owner}, numbered)
    passages = await index_all_but_last(conn, namespace_id, conversation, indexed, language)
    await store.advance_conversation(
        conn,
        {
            **scope,
            "messages": len(numbered),
            "turns": turns,
            "last_message_at": max(entry.occurred_at for entry in numbered),
            "title": conversation.title
            or await take_title(numbered, settings, conversation.channel),
        },
    )
    pending = pending_days(numbered, settings, conversation.channel)
    if pending["seqs"].values:
        subject = settings.calendar_subject(conversation.subject)
        await store.enqueue_days(conn, {**scope, "subject": subject, **pending})
    await schedule_work(conn, namespace_id, conversation, numbered, compaction)
    counts = Counts(len(numbered), turns, _size(numbered), names)
    return await add_passages(conn, namespace_id, passages, counts)


def _size(numbered: Sequence[NumberedMessage]) -> int:
    """Return how many bytes messages have."""
    return sum(entry.message.size for entry in numbered)

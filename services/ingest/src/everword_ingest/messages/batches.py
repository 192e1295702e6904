"""Write a large append in portions: no statement holds the event loop for long, nor much memory at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

from everword.db.arrays import Column, array_literal
from everword.db.pipeline import send_queued
from everword.db.pool import Connection
from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import ConversationRecord
from everword.index.builders import Language, build_passages, next_batch
from everword.index.passages import IndexedPassage, IndexedSource
from everword.index.writer import Counts, add_passages
from everword.rpc.long_work import run_in_thread
from everword.text.author_names import name_words
from everword_ingest.messages import store
from everword_ingest.messages.model import NumberedMessage

#: Messages written by one statement, and their largest size on the wire.
_MESSAGES = 250
_BYTES = 512 * 1024
#: Messages and characters that are cut and analysed on the event loop; more is left to a thread, in portions.
_FEW_MESSAGES = 100
_FEW_CHARS = 50_000
#: Authors whose names take longer to read.
_FEW_AUTHORS = 50
#: Columns of a message that have the names of `NewMessage`'s fields.
_MESSAGE_TYPES = {
    "role": "int2",
    "author": "text",
    "content": "text",
    "content_blocks": "jsonb",
    "importance_class": "int2",
    "automated": "bool",
    "tool_name": "text",
    "tool_args": "text",
    "tool_result": "text",
    "metadata": "jsonb",
    "token_count": "int4",
    "external_id": "text",
    "parent_id": "uuid",
}


async def insert_messages(
    conn: Connection, scope: dict[str, Any], numbered: Sequence[NumberedMessage]
) -> None:
    """Store messages."""
    for batch in _portions(numbered):
        await store.insert_messages(conn, {**scope, **_message_columns(batch)})
        if batch[-1] is not numbered[-1]:
            await send_queued(conn)
            await asyncio.sleep(0)


def _portions(numbered: Sequence[NumberedMessage]) -> Iterator[Sequence[NumberedMessage]]:
    begin = size = 0
    for end, entry in enumerate(numbered):
        if end > begin and (end - begin >= _MESSAGES or size + entry.message.wire_bytes > _BYTES):
            yield numbered[begin:end]
            begin, size = end, 0
        size += entry.message.wire_bytes
    yield numbered[begin:]


def _message_columns(numbered: Sequence[NumberedMessage]) -> dict[str, Any]:
    """Return the arrays that `insert_messages` takes, one element a message."""
    messages = [entry.message for entry in numbered]
    return {
        "id": Column("uuid", [entry.id for entry in numbered]),
        "seq": Column("int8", [entry.seq for entry in numbered]),
        "instance": Column("text", [entry.instance for entry in numbered]),
        "occurred_at": Column("timestamptz", [entry.occurred_at for entry in numbered]),
        "tags": Column("text", [array_literal(message.tags) for message in messages]),
    } | {
        name: Column(type_, [getattr(message, name) for message in messages])
        for name, type_ in _MESSAGE_TYPES.items()
    }


async def index_all_but_last(
    conn: Connection,
    namespace_id: int,
    conversation: ConversationRecord,
    numbered: Sequence[NumberedMessage],
    language: Language,
) -> list[IndexedPassage]:
    """Index the passages of messages but for the last portion, which is returned: mostly it is the only one.

    Nothing is counted or locked by it. What locks rows that other writes need comes after it, and takes no time.
    """
    last: list[IndexedPassage] = []
    async for batch in _index_messages(numbered, conversation, language):
        if last:
            written = await add_passages(conn, namespace_id, last, Counts())
            # Wait, so that at most one portion is prepared ahead of the one being written.
            await written.rows()
        last = batch
    return last


async def _index_messages(
    messages: Sequence[NumberedMessage], conversation: ConversationRecord, language: Language
) -> AsyncIterator[list[IndexedPassage]]:
    """Yield the passages of messages in portions, in their order."""
    passages = _build(messages, conversation, language)
    chars = sum(len(numbered.message.text) for numbered in messages)
    if len(messages) <= _FEW_MESSAGES and chars <= _FEW_CHARS:
        yield list(passages)
        return
    while batch := await run_in_thread(next_batch, passages):
        yield batch


def _build(
    messages: Sequence[NumberedMessage], conversation: ConversationRecord, language: Language
) -> Iterator[IndexedPassage]:
    for numbered in messages:
        source = _source(numbered, conversation)
        yield from build_passages(source, numbered.message.text, language)


def _source(numbered: NumberedMessage, conversation: ConversationRecord) -> IndexedSource:
    message = numbered.message
    return IndexedSource(
        id=numbered.id,
        kind=MemoryKind.MESSAGE,
        occurred_at=numbered.occurred_at,
        conversation_id=conversation.id,
        seq=numbered.seq,
        agent=conversation.agent,
        subject=conversation.subject,
        channel=conversation.channel,
        instance=numbered.instance,
        author=message.author,
        role=message.role,
        tags=message.tags,
        importance_class=message.importance_class,
        automated=message.automated,
    )


async def author_names(messages: Iterable[NumberedMessage]) -> list[str]:
    """Return the names of who spoke, sorted."""
    authors = {numbered.message.author for numbered in messages}
    if len(authors) <= _FEW_AUTHORS:
        return _sorted_names(authors)
    return await run_in_thread(_sorted_names, authors)


def _sorted_names(authors: Iterable[str]) -> list[str]:
    return sorted(set[str]().union(*map(name_words, authors)))

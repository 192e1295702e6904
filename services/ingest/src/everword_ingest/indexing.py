"""The rows that a message becomes: its own, and the passages that it is found by."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.arrays import Column, array_literal
from everword.domain.records import ConversationRecord
from everword.index.builders import Language, build_passages
from everword.index.passages import Passage, Source
from everword.rpc.long_work import beside_loop
from everword.text.author_names import name_words
from everword.v1.memory_pb2 import MEMORY_KIND_MESSAGE
from everword_ingest.model import NewMessage

#: What is cut and analysed at once. More messages or characters are left to a thread, and come in portions: the event
#: loop goes on while a portion is made, and is held for some milliseconds while it is sent.
_FEW_MESSAGES = 100
_FEW_CHARS = 50_000
_PORTION_PASSAGES = 500
_PORTION_CHARS = 500_000
#: Authors whose names take longer to read.
_FEW_AUTHORS = 50


# Not frozen, as NewMessage is not.
@dataclass
class PlacedMessage:
    """A message with its id and its place in the conversation."""

    id: UUID
    seq: int
    message: NewMessage
    occurred_at: datetime
    instance: str


async def index_messages(
    messages: Sequence[PlacedMessage], conversation: ConversationRecord, language: Language
) -> AsyncIterator[list[Passage]]:
    """Yield the passages of messages in portions, in their order."""
    passages = _build(messages, conversation, language)
    chars = sum(len(placed.message.text) for placed in messages)
    if len(messages) <= _FEW_MESSAGES and chars <= _FEW_CHARS:
        yield list(passages)
        return
    while portion := await beside_loop(_portion, passages):
        yield portion


def _build(
    messages: Sequence[PlacedMessage], conversation: ConversationRecord, language: Language
) -> Iterator[Passage]:
    for placed in messages:
        source = _source(placed, conversation)
        yield from build_passages(source, placed.message.text, language)


def _source(placed: PlacedMessage, conversation: ConversationRecord) -> Source:
    message = placed.message
    return Source(
        id=placed.id,
        kind=MEMORY_KIND_MESSAGE,
        occurred_at=placed.occurred_at,
        conversation_id=conversation.id,
        seq=placed.seq,
        agent=conversation.agent,
        subject=conversation.subject,
        channel=conversation.channel,
        instance=placed.instance,
        author=message.author,
        role=message.role,
        tags=message.tags,
        importance_class=message.importance_class,
        automated=message.automated,
    )


def _portion(passages: Iterator[Passage]) -> list[Passage]:
    """Return the next passages, as many as are written together; none at the end."""
    portion: list[Passage] = []
    chars = 0
    for passage in passages:
        portion.append(passage)
        chars += len(passage.content) + len(passage.indexed_text)
        if len(portion) >= _PORTION_PASSAGES or chars >= _PORTION_CHARS:
            break
    return portion


async def author_names(messages: Iterable[PlacedMessage]) -> list[str]:
    """Return the names of who spoke, sorted."""
    authors = {placed.message.author for placed in messages}
    if len(authors) <= _FEW_AUTHORS:
        return _sorted_names(authors)
    return await beside_loop(_sorted_names, authors)


def _sorted_names(authors: Iterable[str]) -> list[str]:
    return sorted(set[str]().union(*map(name_words, authors)))


def message_columns(placed: Sequence[PlacedMessage]) -> dict[str, Any]:
    """Return the arrays that `insert_messages` takes, one element a message."""
    messages = [entry.message for entry in placed]
    return {
        "id": Column("uuid", [entry.id for entry in placed]),
        "seq": Column("int8", [entry.seq for entry in placed]),
        "instance": Column("text", [entry.instance for entry in placed]),
        "occurred_at": Column("timestamptz", [entry.occurred_at for entry in placed]),
        "tags": Column("text", [array_literal(message.tags) for message in messages]),
    } | {
        name: Column(type_, [getattr(message, name) for message in messages])
        for name, type_ in _MESSAGE_TYPES.items()
    }


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

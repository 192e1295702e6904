"""What a message becomes in the index: passages with the words and literals that they are found and ranked by."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.db.arrays import Column, array_literal
from everword.domain.times import local_time
from everword.text.analysis import indexed_text, with_head
from everword.text.author_names import name_words
from everword.text.literals import literals_of
from everword.text.passages import split_passages
from everword.text.ranking_record import message_traits, pack_header, pack_record, word_hashes
from everword.v1.memory_pb2 import MEMORY_KIND_MESSAGE
from everword_ingest.model import NewMessage
from everword_ingest.plain import read_plain

#: Beyond this many characters, cutting and analysing would hold the event loop for long; a thread does it.
_THREAD_CHARS = 50_000


# Not frozen, as NewMessage is not.
@dataclass
class PlacedMessage:
    """A message with its id and its place in the conversation."""

    id: UUID
    seq: int
    message: NewMessage
    occurred_at: datetime
    instance: str


@dataclass
class Passage:
    """One row of the index."""

    placed: PlacedMessage
    part: int
    content: str
    indexed_text: str
    literals: str | None
    #: See `everword.text.ranking_record`.
    ranking: bytes


async def build_passages(
    messages: Sequence[PlacedMessage], time_zone: str, text_search_config: str
) -> list[Passage]:
    """Return the passages of messages, in their order. Days are named in `time_zone`, an IANA name."""
    zone = ZoneInfo(time_zone)
    if sum(len(placed.message.text) for placed in messages) > _THREAD_CHARS:
        return await asyncio.to_thread(_build, messages, zone, text_search_config)
    return _build(messages, zone, text_search_config)


def _build(
    messages: Sequence[PlacedMessage], zone: tzinfo, text_search_config: str
) -> list[Passage]:
    return [
        passage for placed in messages for passage in _passages(placed, zone, text_search_config)
    ]


def _passages(placed: PlacedMessage, zone: tzinfo, text_search_config: str) -> list[Passage]:
    message = placed.message
    text = message.text
    spoken_at = local_time(placed.occurred_at, zone)
    plain = read_plain(text, word_hashes(text_search_config))
    if plain is not None:
        indexed = with_head(plain.words, message.author, spoken_at)
        literals = literals_of(text) if plain.may_hold_literal else None
        return [
            Passage(placed, 0, text, indexed, literals, pack_header(plain.traits) + plain.terms)
        ]
    traits = message_traits(text)
    return [
        Passage(
            placed=placed,
            part=part,
            content=content,
            indexed_text=indexed_text(content, message.author, spoken_at),
            literals=literals_of(content),
            ranking=pack_record(content, traits, text_search_config),
        )
        for part, content in enumerate(split_passages(text, traits.words))
    ]


def passage_columns(passages: Sequence[Passage]) -> dict[str, Any]:
    """Return the arrays that `insert_memories` takes: one element a passage, and the names of who spoke."""
    messages = [passage.placed.message for passage in passages]
    authors = {message.author for message in messages}
    return {
        "kind": MEMORY_KIND_MESSAGE,
        "source_id": Column("uuid", [passage.placed.id for passage in passages]),
        "part": Column("int4", [passage.part for passage in passages]),
        "seq": Column("int8", [passage.placed.seq for passage in passages]),
        "instance": Column("text", [passage.placed.instance for passage in passages]),
        "author": Column("text", [message.author for message in messages]),
        "role": Column("int2", [message.role for message in messages]),
        "tags": Column("text", [array_literal(message.tags) for message in messages]),
        "importance_class": Column("int2", [message.importance_class for message in messages]),
        "automated": Column("bool", [message.automated for message in messages]),
        "occurred_at": Column("timestamptz", [passage.placed.occurred_at for passage in passages]),
        "content": Column("text", [passage.content for passage in passages]),
        "indexed_text": Column("text", [passage.indexed_text for passage in passages]),
        "literals": Column("text", [passage.literals for passage in passages]),
        "ranking": Column("bytea", [passage.ranking for passage in passages]),
        # Sorted, so that of two writes one waits for the other, and never each for the other.
        "author_names": Column("text", sorted(set[str]().union(*map(name_words, authors)))),
    }


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

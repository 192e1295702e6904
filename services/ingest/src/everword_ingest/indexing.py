"""What a message becomes in the index: passages with the words and literals that they are found and ranked by."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.db.arrays import Column, array_literal
from everword.domain.times import local_time
from everword.rpc.long_work import beside_loop
from everword.text.analysis import indexed_text, with_head
from everword.text.author_names import name_words
from everword.text.literals import literals_of
from everword.text.passages import split_passages
from everword.text.ranking_record import message_traits, pack_header, pack_record, word_hashes
from everword.v1.memory_pb2 import MEMORY_KIND_MESSAGE
from everword_ingest.model import NewMessage
from everword_ingest.plain import read_plain

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
) -> AsyncIterator[list[Passage]]:
    """Yield the passages of messages in portions, in their order. Days are named in `time_zone`, an IANA name."""
    passages = _build(messages, ZoneInfo(time_zone), text_search_config)
    chars = sum(len(placed.message.text) for placed in messages)
    if len(messages) <= _FEW_MESSAGES and chars <= _FEW_CHARS:
        yield list(passages)
        return
    while portion := await beside_loop(_portion, passages):
        yield portion


def _build(
    messages: Sequence[PlacedMessage], zone: tzinfo, text_search_config: str
) -> Iterator[Passage]:
    for placed in messages:
        yield from _passages(placed, zone, text_search_config)


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


def _passages(placed: PlacedMessage, zone: tzinfo, text_search_config: str) -> Iterator[Passage]:
    message = placed.message
    text = message.text
    spoken_at = local_time(placed.occurred_at, zone)
    plain = read_plain(text, word_hashes(text_search_config))
    if plain is not None:
        indexed = with_head(plain.words, message.author, spoken_at)
        literals = literals_of(text) if plain.may_hold_literal else None
        header = pack_header(plain.traits)
        yield Passage(placed, 0, text, indexed, literals, header + plain.terms)
        return
    traits = message_traits(text)
    for part, content in enumerate(split_passages(text, traits.words)):
        yield Passage(
            placed=placed,
            part=part,
            content=content,
            indexed_text=indexed_text(content, message.author, spoken_at),
            literals=literals_of(content),
            ranking=pack_record(content, traits, text_search_config),
        )


async def author_names(messages: Iterable[PlacedMessage]) -> Column:
    """Return the names of who spoke, sorted: of two writes one waits for the other, and never each for the other."""
    authors = {placed.message.author for placed in messages}
    if len(authors) <= _FEW_AUTHORS:
        return Column("text", _sorted_names(authors))
    return Column("text", await beside_loop(_sorted_names, authors))


def _sorted_names(authors: Iterable[str]) -> list[str]:
    return sorted(set[str]().union(*map(name_words, authors)))


def passage_columns(passages: Sequence[Passage]) -> dict[str, Any]:
    """Return the arrays that `insert_memories` takes with one element a passage."""
    messages = [passage.placed.message for passage in passages]
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

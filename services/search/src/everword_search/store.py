"""The search service's statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from psycopg.types.numeric import Int8

from everword.db.arrays import ArrayParameter, array_of_uuids, read_array
from everword.db.pool import Connection
from everword.db.statements import (
    BoundStatement,
    execute,
    fetch_all,
    fetch_optional,
    fetch_value,
    load_statements,
)
from everword.domain.records import ConversationRecord, MemoryRecord, MessageRecord
from everword_search.model import ConversationFilter, MemoryFilter, Ranked

SQL = load_statements("everword_search")


@dataclass(frozen=True)
class Scope:
    """What all arms of one search look at."""

    namespace_id: int
    filter: MemoryFilter
    #: A tsquery as text that a passage must match beside what an arm looks for.
    constraint: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing is asked to be left out but what is automated."""
        return self.constraint is None and self.filter.is_open

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            **namespaced(self.namespace_id),
            **vars(self.filter),
            "constraint": self.constraint,
        }


def namespaced(namespace_id: int) -> dict[str, Any]:
    # A bigint even where the number is small: GIN indexes compare no other integers with their bigint column.
    return {"namespace_id": Int8(namespace_id)}


@dataclass(frozen=True)
class AnalysedText:
    """What text search makes of a text; empty for stop words."""

    text: str
    lexemes: list[str]
    #: What stands for each lexeme in memory.
    hashes: list[int]
    #: A tsquery as text.
    phrase: str


@dataclass(frozen=True)
class RankedRow:
    """What a statement found, best first: arrays in binary, an element a memory."""

    passage_ids: bytes
    source_ids: bytes
    raws: bytes
    scores: bytes

    def ranked(self) -> Ranked:
        return Ranked(
            read_array(self.passage_ids, "i8"),
            read_array(self.source_ids, "S16"),
            read_array(self.raws, "f8"),
            read_array(self.scores, "f8"),
        )


NOTHING = Ranked.of([])


@dataclass(frozen=True)
class LexicalRow(RankedRow):
    """Memories found by words, and the statistics of the namespace that their scores rest on."""

    passages: float
    mean_length: float
    #: One for each term that was asked for.
    document_frequencies: list[int]


@dataclass(frozen=True)
class FrequencyRow:
    """How often each term occurs in a passage."""

    passage_id: int
    source_id: UUID
    length: int
    frequencies: list[int]


@dataclass(frozen=True)
class TrigramRow:
    """A memory found by its literals."""

    passage_id: int
    source_id: UUID
    raw: float
    score: float


@dataclass(frozen=True)
class RegexRow:
    """A memory found by a regular expression."""

    passage_id: int
    source_id: UUID
    occurred_at: datetime


@dataclass(frozen=True)
class PlaceRow:
    """A memory's place in time."""

    source_id: UUID
    occurred_at: datetime


@dataclass(frozen=True)
class SignalRow:
    """What a memory is ranked by beside its words."""

    source_id: UUID
    occurred_at: datetime
    importance_class: int
    use_count: int
    last_used_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class MemoryRow(MemoryRecord):
    """A memory and one of its passages."""

    passage: str


@dataclass(frozen=True, kw_only=True)
class MessageRow(MessageRecord):
    """A message of a page, and how many the page could have had."""

    available: int


@dataclass(frozen=True)
class _TokenCountRow:
    id: UUID
    token_count: int


async def caught_up(conn: Connection, lsn: str) -> bool:
    return bool(await fetch_value(conn, SQL["caught_up"], {"lsn": lsn}))


async def find_lexical(
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> LexicalRow | None:
    """Return what matches; None where nothing does."""
    return await fetch_optional(
        conn, SQL["find_lexical"], {**scope.parameters, **parameters}, LexicalRow
    )


async def term_frequencies(
    conn: Connection, scope: Scope, source_ids: Sequence[UUID], terms: dict[str, Any]
) -> list[FrequencyRow]:
    parameters = {**scope.parameters, **terms, "source_ids": list(source_ids)}
    return await fetch_all(conn, SQL["term_frequencies"], parameters, FrequencyRow)


async def find_trigram(
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> list[TrigramRow]:
    return await fetch_all(
        conn, SQL["find_trigram"], {**scope.parameters, **parameters}, TrigramRow
    )


async def score_trigram(
    conn: Connection, scope: Scope, source_ids: Sequence[UUID], tokens: Sequence[str]
) -> list[TrigramRow]:
    parameters = {
        **scope.parameters,
        "source_ids": list(source_ids),
        "tokens": list(tokens),
    }
    return await fetch_all(conn, SQL["score_trigram"], parameters, TrigramRow)


async def find_regex(conn: Connection, scope: Scope, parameters: dict[str, Any]) -> list[RegexRow]:
    return await fetch_all(conn, SQL["find_regex"], {**scope.parameters, **parameters}, RegexRow)


async def browse(
    conn: Connection,
    scope: Scope,
    newest_first: bool,
    after: tuple[str, str] | None,
    limit: int,
) -> list[PlaceRow]:
    """Return memories after a place (time of occurrence, id) in the order asked for."""
    statement = SQL["browse_newest" if newest_first else "browse_oldest"]
    occurred_at, source_id = after or end_of_time(newest_first)
    parameters = {
        **scope.parameters,
        "after_occurred_at": occurred_at,
        "after_source_id": source_id,
        "limit": limit,
    }
    return await fetch_all(conn, statement, parameters, PlaceRow)


def end_of_time(newest_first: bool) -> tuple[str, str]:
    """Return the place before the first memory in the order asked for."""
    if newest_first:
        return "infinity", str(UUID(int=2**128 - 1))
    return "-infinity", str(UUID(int=0))


async def read_memories(
    conn: Connection,
    namespace_id: int,
    source_ids: Sequence[UUID],
    passage_ids: Sequence[int] = (),
    max_chars: int | None = None,
    max_parts: int | None = None,
) -> list[MemoryRow]:
    """Return the memories that exist, in the order of `source_ids`; the whole of each without `max_chars`."""
    asked = memories_asked(namespace_id, source_ids, passage_ids, max_chars, max_parts)
    return await fetch_all(conn, asked.statement, asked.parameters, asked.row)


def memories_asked(
    namespace_id: int,
    source_ids: Sequence[UUID],
    passage_ids: Sequence[int] = (),
    max_chars: int | None = None,
    max_parts: int | None = None,
) -> BoundStatement[MemoryRow]:
    """Return what asks for memories; see read_memories."""
    parameters = {
        **namespaced(namespace_id),
        "source_ids": ArrayParameter(array_of_uuids(source_ids)),
        "passage_ids": ArrayParameter(np.array(passage_ids, np.int64)),
        "max_chars": max_chars,
        "max_parts": max_parts,
    }
    return BoundStatement(SQL["read_memories"], parameters, MemoryRow)


async def read_signals(
    conn: Connection, namespace_id: int, source_ids: Sequence[UUID]
) -> list[SignalRow]:
    parameters = {**namespaced(namespace_id), "source_ids": list(source_ids)}
    return await fetch_all(conn, SQL["read_signals"], parameters, SignalRow)


async def memory_bytes(conn: Connection, namespace_id: int, source_ids: Sequence[UUID]) -> int:
    parameters = {**namespaced(namespace_id), "source_ids": list(source_ids)}
    return int(await fetch_value(conn, SQL["memory_bytes"], parameters))


async def get_conversation(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> ConversationRecord | None:
    parameters = {**namespaced(namespace_id), "conversation_id": conversation_id}
    return await fetch_optional(conn, SQL["get_conversation"], parameters, ConversationRecord)


async def find_conversation(
    conn: Connection, namespace_id: int, session_key: str, agent: str, channel: str
) -> ConversationRecord | None:
    key = {"session_key": session_key, "agent": agent, "channel": channel}
    parameters = {**namespaced(namespace_id), **key}
    return await fetch_optional(conn, SQL["find_conversation"], parameters, ConversationRecord)


async def list_conversations(
    conn: Connection, namespace_id: int, wanted: ConversationFilter, after_id: UUID, limit: int
) -> list[ConversationRecord]:
    page = {"after_id": after_id, "limit": limit}
    parameters = {**namespaced(namespace_id), **vars(wanted), **page}
    return await fetch_all(conn, SQL["list_conversations"], parameters, ConversationRecord)


async def list_messages(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID,
    newest_first: bool,
    after_seq: int | None,
    limit: int,
    max_bytes: int,
) -> list[MessageRow]:
    """Return messages after a place in the conversation, in the order asked for."""
    statement = SQL["list_messages_newest" if newest_first else "list_messages_oldest"]
    beginning = 2**63 - 1 if newest_first else 0
    parameters = {
        **namespaced(namespace_id),
        "conversation_id": conversation_id,
        "after_seq": beginning if after_seq is None else after_seq,
        "limit": limit,
        "max_bytes": max_bytes,
    }
    return await fetch_all(conn, statement, parameters, MessageRow)


async def recent_turns(
    conn: Connection, namespace_id: int, conversation_id: UUID, limit: int, max_bytes: int
) -> list[MessageRow]:
    parameters = {
        **namespaced(namespace_id),
        "conversation_id": conversation_id,
        "limit": limit,
        "max_bytes": max_bytes,
    }
    return await fetch_all(conn, SQL["recent_turns"], parameters, MessageRow)


async def latest_user_message(
    conn: Connection, namespace_id: int, conversation_id: UUID, role: int
) -> MessageRecord | None:
    parameters = {
        **namespaced(namespace_id),
        "conversation_id": conversation_id,
        "role": role,
    }
    return await fetch_optional(conn, SQL["latest_user_message"], parameters, MessageRecord)


async def message_token_counts(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> dict[UUID, int]:
    parameters = {**namespaced(namespace_id), "message_ids": list(message_ids)}
    rows = await fetch_all(conn, SQL["message_token_counts"], parameters, _TokenCountRow)
    return {row.id: row.token_count for row in rows}


async def insert_memory_use(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> None:
    parameters = {**namespaced(namespace_id), "memory_ids": sorted(memory_ids)}
    await execute(conn, SQL["insert_memory_use"], parameters)

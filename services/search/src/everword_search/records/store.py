"""The statements on stored records as typed functions, one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from psycopg.types.numeric import Int8

from everword.db.arrays import ArrayParameter, array_of_uuids
from everword.db.pool import Connection
from everword.db.statements import (
    BoundStatement,
    execute,
    fetch_all,
    fetch_optional,
    fetch_value,
    load_statements,
)
from everword.domain.records import (
    INDEXED_TOOL_RESULT_CHARS,
    ConversationRecord,
    MemoryRecord,
    MessageRecord,
)
from everword_search.records.model import ConversationFilter

SQL = load_statements("everword_search.records")
#: Longer metadata (characters of JSON) is left out of lists, unless the texts may be longer still.
LISTED_METADATA_CHARS = 2000
#: Minimum `word_similarity` of two literals that count as similar.
SIMILARITY = 0.6


def namespaced(namespace_id: int) -> dict[str, Any]:
    # Always a bigint: a GIN index cannot compare a smaller integer type with its bigint column.
    return {"namespace_id": Int8(namespace_id)}


@dataclass(frozen=True, kw_only=True)
class MemoryRow(MemoryRecord):
    """A memory with one of its passages."""

    passage: str


@dataclass(frozen=True, kw_only=True)
class MessageRow(MessageRecord):
    """A message of a page; `available` counts the messages that the page could have had."""

    available: int


@dataclass(frozen=True)
class SurroundingRow:
    """A passage near the matching passage of a memory."""

    memory_id: UUID
    part: int
    #: Passages after the matching one; negative before it.
    distance: int
    content: str


async def caught_up(conn: Connection, namespace_id: int, lsn: str) -> bool:
    parameters = {**namespaced(namespace_id), "lsn": lsn}
    return bool(await fetch_value(conn, SQL["caught_up"], parameters))


async def read_memories(
    conn: Connection,
    namespace_id: int,
    source_ids: Sequence[UUID],
    passage_ids: Sequence[int] = (),
    max_chars: int | None = None,
    max_parts: int | None = None,
) -> list[MemoryRow]:
    """Return the existing memories in the order of `source_ids`; whole texts if `max_chars` is None."""
    asked = memories_statement(namespace_id, source_ids, passage_ids, max_chars, max_parts)
    return await fetch_all(conn, asked.statement, asked.parameters, asked.row)


def memories_statement(
    namespace_id: int,
    source_ids: Sequence[UUID],
    passage_ids: Sequence[int] = (),
    max_chars: int | None = None,
    max_parts: int | None = None,
) -> BoundStatement[MemoryRow]:
    """Return the bound statement of `read_memories`."""
    parameters = {
        **namespaced(namespace_id),
        "source_ids": ArrayParameter(array_of_uuids(source_ids)),
        "passage_ids": ArrayParameter(np.array(passage_ids, np.int64)),
        "max_chars": max_chars,
        "max_parts": max_parts,
        "max_metadata_chars": listed_metadata_chars(max_chars),
        "indexed_chars": INDEXED_TOOL_RESULT_CHARS,
    }
    return BoundStatement(SQL["read_memories"], parameters, MemoryRow)


def listed_metadata_chars(max_chars: int | None) -> int | None:
    """Return the maximum length of metadata next to texts of at most `max_chars`; None for no limit."""
    return None if max_chars is None else max(max_chars, LISTED_METADATA_CHARS)


async def read_surroundings(
    conn: Connection,
    namespace_id: int,
    source_ids: Sequence[UUID],
    passage_ids: Sequence[int],
    reaches: Sequence[int],
) -> list[SurroundingRow]:
    """Return the passages around one passage of each memory, memory by memory."""
    parameters = {
        **namespaced(namespace_id),
        "source_ids": ArrayParameter(array_of_uuids(source_ids)),
        "passage_ids": ArrayParameter(np.array(passage_ids, np.int64)),
        "reaches": ArrayParameter(np.array(reaches, np.int64)),
    }
    return await fetch_all(conn, SQL["read_surroundings"], parameters, SurroundingRow)


async def memory_bytes(conn: Connection, namespace_id: int, source_ids: Sequence[UUID]) -> int:
    parameters = {
        **namespaced(namespace_id),
        "source_ids": list(source_ids),
        "indexed_chars": INDEXED_TOOL_RESULT_CHARS,
    }
    return int(await fetch_value(conn, SQL["memory_bytes"], parameters))


async def get_message(
    conn: Connection, namespace_id: int, message_id: UUID
) -> MessageRecord | None:
    parameters = {**namespaced(namespace_id), "message_id": message_id}
    return await fetch_optional(conn, SQL["get_message"], parameters, MessageRecord)


async def find_message(
    conn: Connection, namespace_id: int, conversation_id: UUID, external_id: str
) -> UUID | None:
    """Return the id of the message with an external id; None if there is none."""
    key = {"conversation_id": conversation_id, "external_id": external_id}
    found: UUID | None = await fetch_value(
        conn, SQL["find_message"], {**namespaced(namespace_id), **key}
    )
    return found


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
    conn: Connection,
    namespace_id: int,
    conversation_filter: ConversationFilter,
    after_id: UUID,
    limit: int,
) -> list[ConversationRecord]:
    page = {"after_id": after_id, "limit": limit}
    parameters = {**namespaced(namespace_id), **vars(conversation_filter), **page}
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
    """Return messages after a position in the conversation, in the requested order."""
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


async def insert_memory_use(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> None:
    parameters = {**namespaced(namespace_id), "memory_ids": sorted(memory_ids)}
    await execute(conn, SQL["insert_memory_use"], parameters)


async def use_custom_plans(conn: Connection, seconds: float) -> None:
    """Plan the following statements for their actual parameters, and set their timeout in seconds."""
    parameters = {"similarity": str(SIMILARITY), "statement_timeout": _milliseconds(seconds)}
    await execute(conn, SQL["use_custom_plans"], parameters)


async def use_generic_plans(conn: Connection, seconds: float) -> None:
    """Plan each of the following statements once per connection, and set their timeout in seconds."""
    parameters = {"statement_timeout": _milliseconds(seconds)}
    await execute(conn, SQL["use_generic_plans"], parameters)


def _milliseconds(seconds: float) -> str:
    """Return a time as PostgreSQL reads it, at least 1 ms, because 0 would mean no limit."""
    return f"{max(1, int(seconds * 1000))}ms"

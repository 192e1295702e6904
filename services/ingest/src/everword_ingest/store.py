"""IngestService's statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.db.arrays import Column
from everword.db.namespaces import NamespaceSettings, namespace_settings, the_settings
from everword.db.pool import Connection
from everword.db.statements import (
    BoundStatement,
    Pending,
    ask,
    execute,
    fetch_all,
    fetch_each,
    fetch_optional,
    fetch_value,
    load_statements,
)
from everword.domain.records import ConversationRecord
from everword_ingest.model import ConversationSpec

SQL = load_statements("everword_ingest")


@dataclass(frozen=True)
class RequestRow:
    """The request that a request id was used for."""

    body_hash: bytes
    conversation_id: UUID | None
    message_ids: list[UUID]


@dataclass(frozen=True)
class ExternalMessageRow:
    """A stored message that was given an external id. Of its texts there are hashes: it may have some MiB of them."""

    id: UUID
    seq: int
    external_id: str
    role: int
    author: str
    tool_name: str
    content_hash: bytes
    tool_args_hash: bytes
    tool_result_hash: bytes

    @property
    def said(self) -> tuple[object, ...]:
        """Return the values that make it the same as another one."""
        hashes = (self.content_hash, self.tool_args_hash, self.tool_result_hash)
        return (self.role, self.author, self.tool_name, *hashes)


@dataclass(frozen=True)
class HighestPassageRow:
    """The highest id among the passages of what was stored."""

    highest: int


@dataclass(frozen=True)
class PlacedRow:
    """A stored message and its place."""

    id: UUID
    seq: int


@dataclass(frozen=True)
class LockedConversation(ConversationRecord):
    """A conversation that this transaction holds."""

    #: Up to which place it is summed up; 0 for nowhere.
    summarised_seq: int


def jsonb(value: object) -> Jsonb | None:
    """Return `value` for a jsonb column; None stays NULL."""
    return None if value is None else Jsonb(value)


async def insert_conversation(
    conn: Connection, namespace_id: int, id_: UUID, spec: ConversationSpec
) -> bool:
    """Make a conversation; False where its key exists."""
    values = {**asdict(spec), "settings": jsonb(spec.settings)}
    parameters = {"namespace_id": namespace_id, "id": id_, **values}
    return await fetch_value(conn, SQL["insert_conversation"], parameters) is not None


async def find_conversation(
    conn: Connection, namespace_id: int, spec: ConversationSpec
) -> ConversationRecord | None:
    parameters = _key(namespace_id, spec)
    return await fetch_optional(conn, SQL["find_conversation"], parameters, ConversationRecord)


async def lock_conversation(
    conn: Connection, namespace_id: int, target: UUID | ConversationSpec
) -> tuple[LockedConversation | None, NamespaceSettings]:
    """Return a conversation, held by this transaction, and what its namespace's writes depend on.

    Raises NamespaceNotFound.
    """
    if isinstance(target, UUID):
        statement = SQL["lock_conversation"]
        parameters = {"namespace_id": namespace_id, "conversation_id": target}
    else:
        statement, parameters = SQL["lock_conversation_by_key"], _key(namespace_id, target)
    locked, settings = await fetch_each(
        conn,
        BoundStatement(statement, parameters, LockedConversation),
        namespace_settings(namespace_id),
    )
    return next(iter(locked), None), the_settings(settings)


def _key(namespace_id: int, spec: ConversationSpec) -> dict[str, Any]:
    return {
        "namespace_id": namespace_id,
        "channel": spec.channel,
        "agent": spec.agent,
        "session_key": spec.session_key,
    }


async def update_conversation(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID,
    fields: Sequence[str],
    values: dict[str, Any],
) -> ConversationRecord | None:
    """Change the named fields; `values` holds `title`, `settings`, `active` and `client_session_id`."""
    parameters = {
        **values,
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "fields": list(fields),
        "settings": jsonb(values["settings"]),
    }
    return await fetch_optional(conn, SQL["update_conversation"], parameters, ConversationRecord)


async def claim_request(
    conn: Connection,
    namespace_id: int,
    request_id: str,
    body_hash: bytes,
    conversation_id: UUID | None = None,
    message_ids: Sequence[UUID] = (),
) -> bool:
    """Record a request id; False where it was used before."""
    parameters = {
        "namespace_id": namespace_id,
        "request_id": request_id,
        "body_hash": body_hash,
        "conversation_id": conversation_id,
        "message_ids": Column("uuid", message_ids),
    }
    return await fetch_value(conn, SQL["claim_request"], parameters) is not None


async def find_request(conn: Connection, namespace_id: int, request_id: str) -> RequestRow | None:
    parameters = {"namespace_id": namespace_id, "request_id": request_id}
    return await fetch_optional(conn, SQL["find_request"], parameters, RequestRow)


async def update_request(
    conn: Connection, namespace_id: int, request_id: str, message_ids: Sequence[UUID]
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "request_id": request_id,
        "message_ids": list(message_ids),
    }
    await execute(conn, SQL["update_request"], parameters)


async def ask_external_messages(
    conn: Connection, namespace_id: int, conversation_id: UUID, external_ids: Sequence[str]
) -> Pending[ExternalMessageRow]:
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "external_ids": Column("text", external_ids),
    }
    return await ask(
        conn, BoundStatement(SQL["find_external_messages"], parameters, ExternalMessageRow)
    )


async def find_messages(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> list[PlacedRow]:
    parameters = {"namespace_id": namespace_id, "message_ids": list(message_ids)}
    return await fetch_all(conn, SQL["find_messages"], parameters, PlacedRow)


async def highest_passage(conn: Connection, namespace_id: int, message_ids: Sequence[UUID]) -> int:
    parameters = {"namespace_id": namespace_id, "message_ids": list(message_ids)}
    return int(await fetch_value(conn, SQL["highest_passage"], parameters))


async def advance_conversation(conn: Connection, parameters: dict[str, Any]) -> None:
    await execute(conn, SQL["advance_conversation"], parameters)


async def insert_messages(conn: Connection, parameters: dict[str, Any]) -> None:
    await execute(conn, SQL["insert_messages"], parameters)


async def enqueue_days(conn: Connection, parameters: dict[str, Any]) -> None:
    await execute(conn, SQL["enqueue_days"], parameters)


async def enqueue_sentences(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> None:
    parameters = {"namespace_id": namespace_id, "message_ids": sorted(message_ids)}
    await execute(conn, SQL["enqueue_sentences"], parameters)


async def insert_significant(conn: Connection, parameters: dict[str, Any]) -> bool:
    """Store a memory; False where its name is another's."""
    return await fetch_value(conn, SQL["insert_significant"], parameters) is not None


async def insert_memory_use(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> None:
    parameters = {"namespace_id": namespace_id, "memory_ids": sorted(memory_ids)}
    await execute(conn, SQL["insert_memory_use"], parameters)


async def find_memory_ids(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> set[UUID]:
    parameters = {"namespace_id": namespace_id, "memory_ids": list(memory_ids)}
    rows = await fetch_all(conn, SQL["find_memory_ids"], parameters, _IdRow)
    return {row.id for row in rows}


@dataclass(frozen=True)
class _IdRow:
    id: UUID


async def update_memory_class(
    conn: Connection, namespace_id: int, memory_id: UUID, importance_class: int
) -> bool:
    """Change a memory's class, in the index and where it outlives a new index; False where there is no such memory."""
    parameters = {
        "namespace_id": namespace_id,
        "memory_id": memory_id,
        "importance_class": importance_class,
    }
    await fetch_value(conn, SQL["hold_note"], parameters)
    if await fetch_value(conn, SQL["update_memory_class"], parameters) is None:
        return False
    await execute(conn, SQL["insert_memory_class"], parameters)
    return True


async def pending_vectors(conn: Connection, namespace_id: int, memory_id: int) -> bool:
    parameters = {"namespace_id": namespace_id, "memory_id": memory_id}
    return bool(await fetch_value(conn, SQL["pending_vectors"], parameters))


async def open_jobs(conn: Connection, namespace_id: int) -> bool:
    return bool(await fetch_value(conn, SQL["open_jobs"], {"namespace_id": namespace_id}))


@dataclass(frozen=True)
class _NamespaceRow:
    namespace_id: int


async def find_crowded(conn: Connection, rows: int, limit: int) -> list[int]:
    """Return at most `limit` namespaces whose counts have at least so many rows."""
    found = await fetch_all(
        conn, SQL["find_crowded"], {"rows": rows, "limit": limit}, _NamespaceRow
    )
    return [row.namespace_id for row in found]


async def fold_corpus_counts(conn: Connection, namespace_id: int, limit: int) -> int:
    """Fold at most `limit` rows of a namespace's counts into one; returns how many there were."""
    parameters = {"namespace_id": namespace_id, "limit": limit}
    return int(await fetch_value(conn, SQL["fold_corpus_counts"], parameters))

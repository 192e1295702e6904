"""The statements that store messages as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from everword.db.arrays import Column
from everword.db.pool import Connection
from everword.db.statements import BoundStatement, Pending, ask, execute, load_statements
from everword.db.typed_statements import statement

SQL = load_statements("everword_ingest.messages")


@dataclass(frozen=True)
class ExternalMessageRow:
    """A stored message with an external id. Its texts, which may have some MiB, are hashed."""

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
    def identity(self) -> tuple[object, ...]:
        """Return the values that a message sent again under the external id must share."""
        hashes = (self.content_hash, self.tool_args_hash, self.tool_result_hash)
        return (self.role, self.author, self.tool_name, *hashes)


@dataclass(frozen=True)
class MessagePositionRow:
    """A stored message and its place."""

    id: UUID
    seq: int


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


@statement(SQL)
async def find_messages(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> list[MessagePositionRow]: ...


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

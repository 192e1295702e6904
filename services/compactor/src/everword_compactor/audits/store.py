"""Statements on how summaries stand as typed functions: one for each in queries.sql, and what nodes are made from."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional, load_statements
from everword.db.typed_statements import statement
from everword_compactor.audits.model import AuditedRow, ModelUsageRow, PendingRow
from everword_compactor.compose.model import Voice
from everword_compactor.nodes.store import SQL as NODES
from everword_compactor.nodes.store import MessageSource, NodeSource

SQL = load_statements("everword_compactor.audits")


@dataclass(frozen=True)
class CountRow:
    """The state of the summaries of a level and a model."""

    level: int
    model: str
    summaries: int
    stale: int
    needs_review: int


@dataclass(frozen=True)
class AuditedSource(NodeSource):
    """A node that a node was made from."""

    parent_id: UUID | None
    #: Its statements that are known to lack support in its own sources.
    unsupported: list[str]


@statement(SQL)
async def count_summaries(conn: Connection, namespace_id: int, limit: int) -> list[CountRow]: ...


@statement(SQL)
async def count_pending(conn: Connection, namespace_id: int, limit: int) -> PendingRow: ...


@statement(SQL)
async def sum_usage(conn: Connection, namespace_id: int) -> ModelUsageRow: ...


@statement(SQL)
async def list_audited(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID | None,
    after_id: UUID,
    limit: int,
    max_bytes: int = 0,
) -> list[AuditedRow]:
    """Return the next nodes, as many as have sources of `max_bytes` together, but at least one."""


async def read_source_messages(
    conn: Connection, namespace_id: int, id_: UUID
) -> list[MessageSource]:
    parameters = {"namespace_id": namespace_id, "id": id_}
    return await fetch_all(conn, NODES["read_source_messages"], parameters, MessageSource)


@statement(SQL)
async def read_audited_nodes(
    conn: Connection, namespace_id: int, id: UUID
) -> list[AuditedSource]: ...


@statement(SQL)
async def read_revision(conn: Connection, namespace_id: int, id: UUID) -> int | None: ...


async def get_voice(conn: Connection, namespace_id: int) -> Voice:
    """Return the voice of a namespace's nodes; an empty one if none was set."""
    parameters = {"namespace_id": namespace_id}
    return await fetch_optional(conn, NODES["get_voice"], parameters, Voice) or Voice()

"""The statements that read the graph as typed functions, one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_value, load_statements
from everword.db.typed_statements import statement
from everword.graph.rows import NodeView
from everword_search.graph.model import NodeSelection, Steps, View

SQL = load_statements("everword_search.graph")
#: Relations per node and direction that are scanned for visible ones if the view is scoped.
_CHECKED = 2_000


@dataclass(frozen=True)
class NamedRow:
    """A node that a label refers to."""

    label_hash: bytes
    node_id: UUID
    anchor: int | None


@dataclass(frozen=True)
class MemoryNodeRow:
    """A memory, and the node that it is a version of."""

    memory_id: UUID
    node_id: UUID


@dataclass(frozen=True)
class StepRow:
    """A relation followed from the node at `place` (1-based) of the request to `other_id`."""

    place: int
    id: UUID
    edge_id: UUID
    from_id: UUID
    to_id: UUID
    type: str
    label: str
    confidence: float
    source: int
    message_id: UUID | None
    quote: str
    fact_id: UUID | None
    valid_from: datetime | None
    valid_until: datetime | None
    known_from: datetime
    known_until: datetime | None
    other_id: UUID
    other_anchor: int | None


async def has_graph(conn: Connection, namespace_id: int) -> bool:
    return bool(await fetch_value(conn, SQL["has_graph"], {"namespace_id": namespace_id}))


async def find_named(
    conn: Connection, namespace_id: int, view: View, label_hashes: Sequence[bytes], limit: int
) -> list[NamedRow]:
    parameters = {
        "namespace_id": namespace_id,
        "label_hashes": list(label_hashes),
        "limit": limit,
        **view.parameters,
    }
    return await fetch_all(conn, SQL["find_named"], parameters, NamedRow)


async def find_versions(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> dict[UUID, UUID]:
    """Return the node of each memory that is a version of one, by memory id."""
    parameters = {"namespace_id": namespace_id, "memory_ids": list(memory_ids)}
    rows = await fetch_all(conn, SQL["find_versions"], parameters, MemoryNodeRow)
    return {row.memory_id: row.node_id for row in rows}


async def read_nodes(
    conn: Connection, namespace_id: int, view: View, node_ids: Sequence[UUID]
) -> dict[UUID, NodeView]:
    parameters = {"namespace_id": namespace_id, "node_ids": list(node_ids), **view.parameters}
    rows = await fetch_all(conn, SQL["read_nodes"], parameters, NodeView)
    return {row.id: row for row in rows}


@statement(SQL)
async def list_versions(
    conn: Connection, namespace_id: int, node_id: UUID, limit: int
) -> list[NodeView]: ...


async def list_nodes(
    conn: Connection, namespace_id: int, selection: NodeSelection, after: UUID | None, limit: int
) -> list[NodeView]:
    parameters = {
        "namespace_id": namespace_id,
        "types": selection.types,
        "node_ids": list(selection.node_ids) if selection.node_ids is not None else None,
        "after_id": after,
        "limit": limit,
        **selection.view.parameters,
    }
    return await fetch_all(conn, SQL["list_nodes"], parameters, NodeView)


async def follow_edges(
    conn: Connection, namespace_id: int, view: View, node_ids: Sequence[UUID], steps: Steps
) -> list[StepRow]:
    """Return relations of nodes.

    Per node and direction it returns up to `fan_out + 1`, so that the caller can detect omitted ones.
    """
    parameters = {
        "namespace_id": namespace_id,
        "node_ids": list(node_ids),
        "fan_out": steps.fan_out + 1,
        "examined": _CHECKED if view.is_scoped else steps.fan_out + 1,
        "types": steps.types,
        **view.parameters,
    }
    return await fetch_all(conn, SQL["follow_edges"], parameters, StepRow)


async def list_edges(
    conn: Connection,
    namespace_id: int,
    view: View,
    include_ended: bool,
    after: UUID | None,
    limit: int,
) -> list[StepRow]:
    parameters = {
        "namespace_id": namespace_id,
        "include_ended": include_ended,
        "after_id": after,
        "limit": limit,
        **view.parameters,
    }
    return await fetch_all(conn, SQL["list_edges"], parameters, StepRow)


@statement(SQL)
async def now(conn: Connection) -> datetime: ...

"""The statements of the graph, as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.arrays import array_literal
from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all, fetch_value, load_statements
from everword.db.typed_statements import statement
from everword.domain.ids import new_ids
from everword.facts.store import lock_sources
from everword.graph.model import NodeKey
from everword.graph.placement import EdgeIntervalRow
from everword.graph.rows import EdgeView, LockedNode, NodeNameRow, NodeVersionRow, NodeView

SQL = load_statements("everword.graph")


@dataclass(frozen=True)
class End:
    """The time, actor and reason of superseding a row."""

    now: datetime
    source: int
    reason: str = ""

    @property
    def parameters(self) -> dict[str, Any]:
        return {"now": self.now, "source": int(self.source), "reason": self.reason}


async def claim_names(
    conn: Connection, namespace_id: int, names: Sequence[tuple[NodeKey, UUID]]
) -> list[NodeNameRow]:
    parameters = {
        "namespace_id": namespace_id,
        "label_hashes": [key.label_hash for key, _ in names],
        "types": [key.type for key, _ in names],
        "agents": [key.agent for key, _ in names],
        "subjects": [key.subject for key, _ in names],
        "node_ids": [node_id for _, node_id in names],
    }
    return await fetch_all(conn, SQL["claim_names"], parameters, NodeNameRow)


@statement(SQL)
async def find_names(
    conn: Connection, namespace_id: int, label_hashes: Sequence[bytes]
) -> list[NodeNameRow]: ...


@statement(SQL)
async def repoint_names(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID], node_id: UUID
) -> None: ...


async def insert_nodes(
    conn: Connection, namespace_id: int, nodes: Sequence[tuple[UUID, NodeKey, int | None]]
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "node_ids": [node_id for node_id, _, _ in nodes],
        "agents": [key.agent for _, key, _ in nodes],
        "subjects": [key.subject for _, key, _ in nodes],
        "anchors": [anchor for _, _, anchor in nodes],
    }
    await execute(conn, SQL["insert_nodes"], parameters)


async def lock_nodes(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID]
) -> dict[UUID, LockedNode]:
    parameters = {"namespace_id": namespace_id, "node_ids": sorted(node_ids)}
    rows = await fetch_all(conn, SQL["lock_nodes"], parameters, LockedNode)
    return {row.id: row for row in rows}


@statement(SQL)
async def known_since(conn: Connection) -> datetime: ...


@statement(SQL)
async def touch_nodes(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID], now: datetime
) -> None: ...


@statement(SQL)
async def set_merged_into(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID], node_id: UUID
) -> None: ...


async def find_versions(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID]
) -> dict[UUID, NodeVersionRow]:
    parameters = {"namespace_id": namespace_id, "node_ids": list(node_ids)}
    rows = await fetch_all(conn, SQL["find_versions"], parameters, NodeVersionRow)
    return {row.node_id: row for row in rows}


async def insert_versions(
    conn: Connection,
    namespace_id: int,
    versions: Sequence[NodeVersionRow],
    now: datetime,
    reason: str = "",
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "now": now,
        "reason": reason,
        "ids": [each.id for each in versions],
        "node_ids": [each.node_id for each in versions],
        "labels": [each.label for each in versions],
        "types": [each.type for each in versions],
        "descriptions": [each.description for each in versions],
        "aliases": [array_literal(each.aliases) for each in versions],
        "confidences": [each.confidence for each in versions],
        "sources": [int(each.source) for each in versions],
    }
    await execute(conn, SQL["insert_versions"], parameters)


async def enqueue_nodes(conn: Connection, namespace_id: int, node_ids: Sequence[UUID]) -> None:
    """Enqueue nodes, so that their topic pages are updated."""
    parameters = {
        "namespace_id": namespace_id,
        "ids": new_ids(len(node_ids)),
        "node_ids": list(node_ids),
    }
    await execute(conn, SQL["enqueue_nodes"], parameters)


async def end_versions(conn: Connection, namespace_id: int, ids: Sequence[UUID], end: End) -> None:
    parameters = {"namespace_id": namespace_id, "ids": list(ids), **end.parameters}
    await execute(conn, SQL["end_versions"], parameters)


async def find_edges(
    conn: Connection, namespace_id: int, relations: Sequence[tuple[UUID, UUID, str]]
) -> list[EdgeIntervalRow]:
    parameters = {
        "namespace_id": namespace_id,
        "from_ids": [from_id for from_id, _, _ in relations],
        "to_ids": [to_id for _, to_id, _ in relations],
        "types": [type_ for _, _, type_ in relations],
    }
    return await fetch_all(conn, SQL["find_edges"], parameters, EdgeIntervalRow)


@statement(SQL)
async def find_edge(
    conn: Connection, namespace_id: int, edge_id: UUID
) -> list[EdgeIntervalRow]: ...


@statement(SQL)
async def lock_edges_of_nodes(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID]
) -> list[EdgeIntervalRow]: ...


async def insert_edges(
    conn: Connection,
    namespace_id: int,
    rows: Sequence[EdgeIntervalRow],
    now: datetime,
    reason: str = "",
) -> None:
    """Store intervals of edges. Their messages may be missing: a copied interval can outlive its message."""
    parameters: dict[str, Any] = {
        "namespace_id": namespace_id,
        "now": now,
        "reason": reason,
        "ids": [each.id for each in rows],
        "edge_ids": [each.edge_id for each in rows],
        "from_ids": [each.from_id for each in rows],
        "to_ids": [each.to_id for each in rows],
        "types": [each.type for each in rows],
        "labels": [each.label for each in rows],
        "confidences": [each.confidence for each in rows],
        "sources": [int(each.source) for each in rows],
        "message_ids": [each.message_id for each in rows],
        "quotes": [each.quote for each in rows],
        "fact_ids": [each.fact_id for each in rows],
        "valid_from": [each.valid_from for each in rows],
        "valid_until": [each.valid_until for each in rows],
    }
    await lock_sources(conn, namespace_id, parameters["message_ids"], may_be_gone=True)
    await execute(conn, SQL["insert_edges"], parameters)


async def end_edges(conn: Connection, namespace_id: int, ids: Sequence[UUID], end: End) -> None:
    parameters = {"namespace_id": namespace_id, "ids": list(ids), **end.parameters}
    await execute(conn, SQL["end_edges"], parameters)


async def end_edges_of_node(conn: Connection, namespace_id: int, node_id: UUID, end: End) -> int:
    parameters = {"namespace_id": namespace_id, "node_id": node_id, **end.parameters}
    return int(await fetch_value(conn, SQL["end_edges_of_node"], parameters))


async def show_nodes(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID]
) -> dict[UUID, NodeView]:
    parameters = {"namespace_id": namespace_id, "node_ids": list(node_ids)}
    return {row.id: row for row in await fetch_all(conn, SQL["show_nodes"], parameters, NodeView)}


async def show_edges(
    conn: Connection, namespace_id: int, edge_ids: Sequence[UUID]
) -> dict[UUID, EdgeView]:
    parameters = {"namespace_id": namespace_id, "edge_ids": list(edge_ids)}
    rows = await fetch_all(conn, SQL["show_edges"], parameters, EdgeView)
    return {row.edge_id: row for row in rows}

"""The statements on single memories as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_value, fetch_values, load_statements

SQL = load_statements("everword_ingest.memories")


async def insert_significant(conn: Connection, parameters: dict[str, Any]) -> bool:
    """Store a memory; False if its name exists."""
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
    return set(await fetch_values(conn, SQL["find_memory_ids"], parameters))


async def update_memory_class(
    conn: Connection, namespace_id: int, memory_id: UUID, importance_class: int
) -> bool:
    """Change a memory's class, in the index and in the table that survives a rebuild; False if there is no
    such memory.
    """
    parameters = {
        "namespace_id": namespace_id,
        "memory_id": memory_id,
        "importance_class": importance_class,
    }
    await fetch_value(conn, SQL["lock_note_row"], parameters)
    if not await fetch_value(conn, SQL["update_memory_class"], parameters):
        return False
    await execute(conn, SQL["insert_memory_class"], parameters)
    return True


async def pending_vectors(
    conn: Connection, namespace_id: int, memory_id: int, *, derived: bool
) -> bool:
    parameters = {"namespace_id": namespace_id, "memory_id": memory_id, "derived": derived}
    return bool(await fetch_value(conn, SQL["pending_vectors"], parameters))


async def open_jobs(conn: Connection, namespace_id: int) -> bool:
    return bool(await fetch_value(conn, SQL["open_jobs"], {"namespace_id": namespace_id}))

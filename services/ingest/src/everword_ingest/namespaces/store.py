"""The statements on namespaces as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from psycopg.sql import Identifier
from psycopg.types.json import Jsonb

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all, fetch_optional, fetch_value, load_statements
from everword.db.typed_statements import statement
from everword_ingest.namespaces.model import (
    NamespaceDeletionRow,
    NamespaceLimits,
    NamespaceRecord,
    NamespaceUsage,
    NamespaceVoice,
)

SQL = load_statements("everword_ingest.namespaces")


@dataclass(frozen=True)
class _NameRow:
    name: str


def _columns(settings: NamespaceSettings, limits: NamespaceLimits) -> dict[str, Any]:
    return {
        **asdict(settings),
        **asdict(limits),
        "channel_policies": Jsonb(settings.channel_policies),
        "text_search_config": Identifier(settings.text_search_config).as_string(),
    }


async def list_text_search_configs(conn: Connection) -> list[str]:
    rows = await fetch_all(conn, SQL["list_text_search_configs"], None, _NameRow)
    return [row.name for row in rows]


async def insert_namespace(
    conn: Connection, name: str, settings: NamespaceSettings, limits: NamespaceLimits
) -> NamespaceRecord | None:
    """Make a namespace; None where the name is taken."""
    parameters = {"name": name, **_columns(settings, limits)}
    namespace_id: int | None = await fetch_value(conn, SQL["insert_namespace"], parameters)
    if namespace_id is None:
        return None
    await insert_tenant(conn, namespace_id)
    return await get_namespace(conn, name)


@statement(SQL)
async def insert_tenant(conn: Connection, namespace_id: int) -> None: ...


@statement(SQL)
async def get_namespace(conn: Connection, name: str) -> NamespaceRecord | None: ...


async def get_usage(conn: Connection, namespace_id: int) -> NamespaceUsage:
    parameters = {"namespace_id": namespace_id}
    found = await fetch_optional(conn, SQL["get_usage"], parameters, NamespaceUsage)
    return found or NamespaceUsage()


async def get_voice(conn: Connection, namespace_id: int) -> NamespaceVoice:
    parameters = {"namespace_id": namespace_id}
    found = await fetch_optional(conn, SQL["get_voice"], parameters, NamespaceVoice)
    return found or NamespaceVoice()


async def set_voice(conn: Connection, namespace_id: int, voice: NamespaceVoice) -> None:
    parameters = {
        "namespace_id": namespace_id,
        **asdict(voice),
        "channel_instructions": Jsonb(voice.channel_instructions),
        "handles": Jsonb(voice.handles),
    }
    await execute(conn, SQL["set_voice"], parameters)


async def lock_namespace(conn: Connection, id_: int) -> bool:
    """Lock a namespace; False if it is deleted or being deleted."""
    return await fetch_value(conn, SQL["lock_namespace"], {"id": id_}) is not None


async def has_memories(conn: Connection, namespace_id: int) -> bool:
    return bool(await fetch_value(conn, SQL["has_memories"], {"namespace_id": namespace_id}))


async def update_namespace(
    conn: Connection,
    namespace: NamespaceRecord,
    fields: Sequence[str],
    settings: NamespaceSettings,
    limits: NamespaceLimits,
) -> NamespaceRecord | None:
    """Change the named settings and limits; None if the namespace is deleted or being deleted."""
    parameters = {"id": namespace.id, "fields": list(fields), **_columns(settings, limits)}
    if await fetch_value(conn, SQL["update_namespace"], parameters) is None:
        return None
    return await get_namespace(conn, namespace.name)


async def unsettle_facts(
    conn: Connection, namespace_id: int, policies: Mapping[str, Mapping[str, bool]]
) -> None:
    """Set facts to suspected if only tools and channels that these policies distrust support them."""
    parameters = {"namespace_id": namespace_id, "policies": Jsonb(policies)}
    await execute(conn, SQL["unsettle_facts"], parameters)


@statement(SQL)
async def list_namespaces(conn: Connection, after: str, limit: int) -> list[NamespaceRecord]: ...


@statement(SQL)
async def count_namespace_rows(conn: Connection, name: str) -> dict[str, int] | None:
    """Return the number of rows of a namespace by table; None if there is no such namespace."""


@statement(SQL)
async def find_legal_hold(conn: Connection, name: str) -> UUID | None: ...


@statement(SQL)
async def begin_namespace_deletion(
    conn: Connection, name: str, api_key_id: UUID | None, requested_by: str
) -> int | None:
    """Hide a namespace and return its id; None if there is no such namespace."""


async def erase_namespace_rows(conn: Connection, id_: int, batch: int) -> int:
    parameters = {"id": id_, "batch": batch}
    return int(await fetch_value(conn, SQL["erase_namespace_rows"], parameters))


async def get_namespace_deletion(conn: Connection, id_: int) -> NamespaceDeletionRow:
    """Return the record of the deletion of a namespace, by the id that this has or had."""
    parameters = {"id": id_}
    found = await fetch_optional(
        conn, SQL["get_namespace_deletion"], parameters, NamespaceDeletionRow
    )
    assert found is not None  # it was written before the first row was erased, and stays
    return found


@statement(SQL)
async def list_namespace_deletions(
    conn: Connection, namespace: str, before_id: UUID | None, limit: int
) -> list[NamespaceDeletionRow]: ...

"""The statements of handoffs as typed functions: one for each in queries.sql."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional, load_statements
from everword_ingest.handoffs.model import GrantRecord, HandoffKey

SQL = load_statements("everword_ingest.handoffs")


async def insert_grant(
    conn: Connection,
    namespace_id: int,
    id_: UUID,
    secret_hash: bytes,
    key: HandoffKey,
    max_calls: int,
    lifetime: timedelta,
) -> GrantRecord:
    parameters = {
        "namespace_id": namespace_id,
        "id": id_,
        "secret_hash": secret_hash,
        "repo": key.repo,
        "issue": key.issue,
        "max_calls": max_calls,
        "lifetime": lifetime,
    }
    [made] = await fetch_all(conn, SQL["insert_grant"], parameters, GrantRecord)
    return made


async def get_grant(conn: Connection, namespace_id: int, grant_id: UUID) -> GrantRecord | None:
    parameters = {"namespace_id": namespace_id, "grant_id": grant_id}
    return await fetch_optional(conn, SQL["get_grant"], parameters, GrantRecord)

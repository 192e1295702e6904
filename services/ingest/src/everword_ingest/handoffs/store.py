"""The statements of handoffs as typed functions: one for each in queries.sql."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, load_statements
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


async def list_grants(
    conn: Connection, namespace_id: int, key: HandoffKey, limit: int
) -> list[GrantRecord]:
    parameters = {
        "namespace_id": namespace_id,
        "repo": key.repo,
        "issue": key.issue,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_grants"], parameters, GrantRecord)

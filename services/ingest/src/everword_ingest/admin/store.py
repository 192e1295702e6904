"""The statements on API keys as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_value, load_statements
from everword.db.typed_statements import statement
from everword.domain.caller import KeyScope

SQL = load_statements("everword_ingest.admin")


@dataclass(frozen=True)
class ApiKeyRecord:
    """A row of `api_keys`, without the secret."""

    id: UUID
    #: The name of its namespace; empty for an operator's key.
    namespace: str
    #: Values equal proto `ApiKeyRole`.
    role: int
    #: The agent and the subject that it is bound to; empty for none.
    agent: str
    subject: str
    description: str
    created_at: datetime
    revoked_at: datetime | None
    expires_at: datetime | None
    last_used_at: datetime | None


async def insert_api_key(
    conn: Connection,
    id_: UUID,
    namespace_id: int | None,
    key_hash: bytes,
    role: int,
    scope: KeyScope,
    description: str,
    operated: bool,
    expires_at: datetime | None,
) -> datetime | None:
    """Store a key and return its creation time; None if no key could be created any more."""
    parameters = {
        "id": id_,
        "namespace_id": namespace_id,
        "key_hash": key_hash,
        "role": role,
        "agent": scope.agent,
        "subject": scope.subject,
        "description": description,
        "expires_at": expires_at,
        "operated": operated,
    }
    created_at: datetime | None = await fetch_value(conn, SQL["insert_api_key"], parameters)
    return created_at


@statement(SQL)
async def list_api_keys(
    conn: Connection, namespace: str, after: UUID, limit: int
) -> list[ApiKeyRecord]: ...


async def revoke_api_key(conn: Connection, id_: UUID) -> ApiKeyRecord | None:
    """Return the revoked key; None if there is none."""
    await execute(conn, SQL["revoke_api_key"], {"id": id_})
    return next(iter(await get_api_keys(conn, [id_])), None)


async def rotate_api_key(
    conn: Connection, id_: UUID, new_id: UUID, key_hash: bytes, overlap: timedelta
) -> list[ApiKeyRecord]:
    """Return the old key and the new one; nothing if the old one is not valid."""
    parameters = {"id": id_, "new_id": new_id, "key_hash": key_hash, "overlap": overlap}
    if await fetch_value(conn, SQL["rotate_api_key"], parameters) is None:
        return []
    return await get_api_keys(conn, [id_, new_id])


@statement(SQL)
async def get_api_keys(conn: Connection, ids: Sequence[UUID]) -> list[ApiKeyRecord]: ...

"""The statements of checkpoints as typed functions: one for each in queries.sql."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    fetch_value,
    fetch_values,
    load_statements,
)
from everword.db.typed_statements import statement
from everword_ingest.checkpoints.model import (
    MAX_NAME_BYTES,
    MAX_VERSIONS,
    Listing,
    NamedCheckpoint,
    NewCheckpoint,
)

SQL = load_statements("everword_ingest.checkpoints")


@dataclass(frozen=True)
class FoundCheckpoint:
    """A checkpoint that is there."""

    id: UUID
    version: int
    body_hash: bytes
    conversation_id: UUID


@dataclass(frozen=True)
class CheckpointRow:
    """A checkpoint without its state."""

    id: UUID
    conversation_id: UUID
    name: str
    version: int
    parent_id: UUID | None
    media_type: str
    state_bytes: int
    metadata: dict[str, Any] | None
    created_at: datetime


@dataclass(frozen=True)
class CheckpointStateRow(CheckpointRow):
    """A checkpoint with its state."""

    state: bytes


async def conversation_exists(conn: Connection, namespace_id: int, conversation_id: UUID) -> bool:
    parameters = {"namespace_id": namespace_id, "conversation_id": conversation_id}
    return await fetch_value(conn, SQL["find_conversation"], parameters) is not None


@statement(SQL)
async def next_version(conn: Connection, namespace_id: int, conversation_id: UUID) -> int:
    """Return the next version of a conversation; its counter is held until the transaction ends."""


@statement(SQL)
async def find_latest(
    conn: Connection, namespace_id: int, place: NamedCheckpoint
) -> FoundCheckpoint | None: ...


@statement(SQL)
async def find_checkpoint(
    conn: Connection, namespace_id: int, checkpoint_id: UUID
) -> FoundCheckpoint | None: ...


@statement(SQL)
async def count_names(conn: Connection, namespace_id: int, conversation_id: UUID) -> int: ...


async def insert_checkpoint(
    conn: Connection, namespace_id: int, saving: NewCheckpoint, id_: UUID, version: int
) -> None:
    metadata = None if saving.metadata is None else Jsonb(saving.metadata)
    parameters = {
        "namespace_id": namespace_id,
        "id": id_,
        "version": version,
        "parent_id": saving.parent_id,
        "media_type": saving.media_type,
        "state": saving.state,
        "state_bytes": len(saving.state),
        "metadata": metadata,
        "body_hash": saving.body_hash,
        **vars(saving.place),
    }
    await execute(conn, SQL["insert_checkpoint"], parameters)


async def drop_oldest(
    conn: Connection, namespace_id: int, place: NamedCheckpoint, max_versions: int
) -> None:
    """Delete the versions over the limits of a name."""
    parameters = {
        "namespace_id": namespace_id,
        "max_versions": min(max_versions, MAX_VERSIONS),
        "max_bytes": MAX_NAME_BYTES,
        **vars(place),
    }
    await execute(conn, SQL["drop_oldest"], parameters)


@statement(SQL)
async def get_checkpoint(
    conn: Connection, namespace_id: int, checkpoint_id: UUID
) -> CheckpointStateRow | None: ...


async def list_checkpoints(
    conn: Connection, namespace_id: int, listing: Listing, before_version: int | None, limit: int
) -> list[CheckpointRow]:
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": listing.conversation_id,
        "name": listing.name,
        "all_versions": listing.all_versions,
        "before_version": before_version,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_checkpoints"], parameters, CheckpointRow)


async def delete_checkpoints(
    conn: Connection,
    namespace_id: int,
    *,
    checkpoint_id: UUID | None = None,
    conversation_id: UUID | None = None,
    name: str | None = None,
) -> int:
    """Delete one by its id, those of a name, or those of a conversation; return how many there were."""
    parameters = {
        "namespace_id": namespace_id,
        "checkpoint_id": checkpoint_id,
        "conversation_id": conversation_id,
        "name": name,
    }
    return len(await fetch_values(conn, SQL["delete_checkpoints"], parameters))

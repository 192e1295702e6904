"""ErasureService's statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import (
    BoundStatement,
    Pending,
    ask,
    fetch_all,
    fetch_optional,
    fetch_value,
    load_statements,
)
from everword.db.typed_statements import statement
from everword_ingest.erasure.model import (
    ErasureRow,
    ErasureTarget,
    Kind,
    ResolvedTarget,
    RunningDeletion,
    StepResult,
)

SQL = load_statements("everword_ingest.erasure")


@dataclass(frozen=True)
class TargetRow:
    """The kind and id under which something is erased."""

    kind: int
    id: UUID


@dataclass(frozen=True)
class ErasedNameRow:
    """The name of a subject or an author."""

    name: str


@dataclass(frozen=True)
class ErasedIdRow:
    """An external id that was erased."""

    id: str


async def begin_erasure(
    conn: Connection,
    namespace_id: int,
    erasure_id: UUID,
    target: ResolvedTarget,
    requested_by: str,
) -> tuple[StepResult, int]:
    """Return the result of the step, and the number of messages left."""
    parameters = {
        "erasure_id": erasure_id,
        "requested_by": requested_by,
        "last_passage": await fetch_value(conn, SQL["last_passage"]),
        **_target(namespace_id, target),
    }
    answer = dict(await fetch_value(conn, SQL["begin_erasure"], parameters))
    left = int(answer.pop("messages_left"))
    return StepResult.of(answer), left


@statement(SQL)
async def lock_job_starts(conn: Connection, namespace_id: int) -> None: ...


async def find_erasure_hold(
    conn: Connection, namespace_id: int, target: ResolvedTarget
) -> UUID | None:
    parameters = _target(namespace_id, target)
    found: UUID | None = await fetch_value(conn, SQL["find_erasure_hold"], parameters)
    return found


async def erase_batch(
    conn: Connection, namespace_id: int, erasure_id: UUID, batch: int
) -> StepResult:
    parameters = {"namespace_id": namespace_id, "erasure_id": erasure_id, "batch": batch}
    return StepResult.of(await fetch_value(conn, SQL["erase_batch"], parameters))


async def retire(
    conn: Connection, namespace_id: int, kind: int, ids: Sequence[UUID], keep_quotes: bool
) -> StepResult:
    parameters = {
        "namespace_id": namespace_id,
        "kind": kind,
        "ids": list(ids),
        "keep_quotes": keep_quotes,
    }
    return StepResult.of(await fetch_value(conn, SQL["retire"], parameters))


async def preview_erasure(
    conn: Connection, namespace_id: int, target: ResolvedTarget
) -> dict[str, Any]:
    return dict(await fetch_value(conn, SQL["preview_erasure"], _target(namespace_id, target)))


@statement(SQL)
async def forget_author_names(
    conn: Connection, namespace_id: int, names: Sequence[str]
) -> None: ...


async def find_target(
    conn: Connection, namespace_id: int, target: ErasureTarget
) -> TargetRow | None:
    parameters = {
        "namespace_id": namespace_id,
        "kind": target.kind or 0,
        "target_id": target.id,
    }
    return await fetch_optional(conn, SQL["find_target"], parameters, TargetRow)


async def similar_names(
    conn: Connection, namespace_id: int, target: ResolvedTarget, minimum: float, limit: int
) -> list[str]:
    """Return subjects or authors whose names are similar to the target's, the most similar first."""
    statement = SQL["similar_subjects" if target.kind == Kind.SUBJECT else "similar_authors"]
    parameters = {
        "namespace_id": namespace_id,
        "name": target.name,
        "least": minimum,
        "limit": limit,
    }
    return [row.name for row in await fetch_all(conn, statement, parameters, ErasedNameRow)]


@statement(SQL)
async def get_erasure(
    conn: Connection, namespace_id: int, erasure_id: UUID
) -> ErasureRow | None: ...


@statement(SQL)
async def list_erasures(
    conn: Connection, namespace_id: int, before_id: UUID | None, limit: int
) -> list[ErasureRow]: ...


@statement(SQL)
async def fail_erasure(
    conn: Connection, namespace_id: int, erasure_id: UUID, error: str
) -> None: ...


@statement(SQL)
async def running_erasures(conn: Connection, limit: int) -> list[RunningDeletion]: ...


async def ask_erased_ids(
    conn: Connection,
    namespace_id: int,
    channel: str,
    agent: str,
    session_key: str,
    external_ids: Sequence[str],
) -> Pending[ErasedIdRow]:
    parameters = {
        "namespace_id": namespace_id,
        "channel": channel,
        "agent": agent,
        "session_key": session_key,
        "external_ids": list(external_ids),
    }
    return await ask(conn, BoundStatement(SQL["find_erased_ids"], parameters, ErasedIdRow))


def _target(namespace_id: int, target: ResolvedTarget) -> dict[str, object]:
    return {
        "namespace_id": namespace_id,
        "kind": target.kind,
        "target_id": target.id,
        "target_name": target.name,
    }

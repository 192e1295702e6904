"""MaintenanceService's statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from everword.db.pool import Connection
from everword.db.statements import fetch_value, fetch_values, load_statements
from everword.db.typed_statements import statement
from everword_compactor.maintenance.model import FailedJob, ModelStep, ParkedPassage, TaskStatus

SQL = load_statements("everword_compactor.maintenance")


@statement(SQL)
async def count_jobs(conn: Connection, namespace_id: int, task: str) -> list[TaskStatus]: ...


@statement(SQL)
async def list_failed_jobs(
    conn: Connection, namespace_id: int, task: str, limit: int
) -> list[FailedJob]: ...


@statement(SQL)
async def list_model_steps(conn: Connection, namespace_id: int) -> list[ModelStep]: ...


@statement(SQL)
async def estimate_sleep(conn: Connection, namespace_id: int) -> float | None: ...


@statement(SQL)
async def list_parked_passages(
    conn: Connection, namespace_id: int, limit: int
) -> list[ParkedPassage]: ...


async def count_failed_jobs(
    conn: Connection, namespace_id: int, task: str, error_contains: str, limit: int | None
) -> int:
    parameters = _failed(namespace_id, task, error_contains, limit)
    return int(await fetch_value(conn, SQL["count_failed_jobs"], parameters))


async def retry_failed_jobs(
    conn: Connection, namespace_id: int, task: str, error_contains: str, limit: int | None
) -> int:
    """Make failed jobs pending, up to `limit` if given; returns the number."""
    parameters = _failed(namespace_id, task, error_contains, limit)
    return int(await fetch_value(conn, SQL["retry_failed_jobs"], parameters))


@statement(SQL)
async def last_passage(conn: Connection, namespace_id: int, after: int, limit: int) -> int | None:
    """Return the highest id of the next `limit` passages above `after`; None without any."""


async def live_generations(conn: Connection) -> list[int]:
    return await fetch_values(conn, SQL["live_generations"], None)


def _failed(
    namespace_id: int, task: str, error_contains: str, limit: int | None
) -> dict[str, object]:
    return {
        "namespace_id": namespace_id,
        "task": task,
        "error_contains": error_contains,
        "limit": limit,
    }

"""The contents and pending work of a namespace: the statements as typed functions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional, fetch_value, load_statements
from everword_search.records.store import namespaced

SQL = load_statements("everword_search.stats")


@dataclass(frozen=True)
class CorpusRow:
    """Counts of a namespace's contents."""

    conversations: int
    messages: int
    turns: int
    passages: int
    content_bytes: int
    latest_recorded_at: datetime | None


@dataclass(frozen=True)
class BacklogRow:
    """Passages without a vector of the active model."""

    #: Provider and name of the model; empty without one.
    model: str
    pending: int
    failed: int
    oldest_pending: timedelta | None


@dataclass(frozen=True)
class TaskRow:
    """Counts of one task's jobs."""

    task: str
    #: Jobs that are due.
    pending: int
    #: Jobs whose time has not come.
    scheduled: int
    running: int
    failed: int
    oldest_pending: timedelta | None
    next_start_at: datetime | None
    sample_error: str


async def corpus_counts(conn: Connection, namespace_id: int) -> CorpusRow:
    rows = await fetch_all(conn, SQL["corpus_counts"], namespaced(namespace_id), CorpusRow)
    return rows[0]


async def embedding_backlog(conn: Connection, namespace_id: int, limit: int) -> BacklogRow | None:
    """Return the backlog of the active generation, counted up to `limit`; None if no generation is active."""
    parameters = {**namespaced(namespace_id), "limit": limit}
    return await fetch_optional(conn, SQL["embedding_backlog"], parameters, BacklogRow)


async def estimate_pending(conn: Connection, namespace_id: int, samples: int, width: int) -> int:
    """Estimate how many passages have no vector, from `samples` ranges of `width` ids."""
    parameters = {**namespaced(namespace_id), "samples": samples, "width": width}
    return int(await fetch_value(conn, SQL["estimate_pending"], parameters) or 0)


async def job_counts(conn: Connection, namespace_id: int) -> list[TaskRow]:
    return await fetch_all(conn, SQL["job_counts"], namespaced(namespace_id), TaskRow)

"""Make jobs due: the one way into the table `jobs`, for every task.

A job belongs to a namespace, by which workers take turns, and keeps the trace of the write that made it due.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from opentelemetry import propagate
from psycopg.types.json import Jsonb

from everword.db import blocking, statements
from everword.db.pool import Connection
from everword.jobs.store import SQL

#: Tasks, by their names in the table `jobs`.
EMBED, COMPACT, ROLL_UP, TOOL_SENTENCES = "embed", "compact", "roll-up", "tool-sentences"
LEARN, SLEEP = "learn", "sleep"
#: Subject of the job of LEARN that computes the themes of its namespace; other subjects are conversations.
THEMES = "themes"
#: Subject of the job of LEARN that processes changes: relations derived from facts, and pages about topics.
TOPICS = "topics"
#: The subject of the job `sleep` that is about a whole namespace; all others are conversations.
SLEEP_NAMESPACE = "namespace"
#: Seconds without a message that end a session: ingest schedules Sleep by it, and the compactor cuts sessions by it.
SESSION_IDLE_S = 30 * 60.0
#: Number of jobs over which a namespace's pending rows are spread: few enough that one wake-up serves many writes, and
#: enough that writes seldom wait for each other's row.
SHARDS = 8


@dataclass(frozen=True)
class DueJob:
    """A job to enqueue."""

    namespace_id: int
    task: str
    #: Subject of the job, such as a conversation's id.
    subject: str
    #: Seconds until it is due.
    delay_s: float = 0.0


def shard(id_: UUID) -> str:
    """Return the subject of the job, one of `SHARDS`, that is responsible for an id."""
    return f"shard-{id_.int % SHARDS}"


def shards() -> list[str]:
    """Return the subjects of all such jobs of a namespace."""
    return [f"shard-{number}" for number in range(SHARDS)]


async def enqueue(conn: Connection, jobs: Sequence[DueJob], *, postpone: bool = False) -> None:
    """Enqueue jobs in the caller's transaction. Their rows are locked in the order of `jobs`.

    A running job is repeated afterwards, a parked one begins again, and a pause after a failure stays. A waiting job
    runs earlier if it is due earlier; with `postpone` also later.
    """
    for parameters in _each(jobs):
        await statements.execute(conn, SQL["enqueue"], {**parameters, "postpone": postpone})


def enqueue_blocking(conn: blocking.Connection, jobs: Sequence[DueJob]) -> None:
    """Do what `enqueue` does, on a worker's connection."""
    blocking.execute_each(conn, SQL["enqueue"], _each(jobs))


async def enqueue_idle(
    conn: Connection, jobs: Sequence[DueJob], *, retry_failed_after_s: float | None = None
) -> None:
    """Enqueue those of the jobs that are neither running nor in a pause after a failure.

    Parked jobs begin again after `retry_failed_after_s`; with None they stay parked.
    """
    for parameters in _idle(jobs, retry_failed_after_s):
        await statements.execute(conn, SQL["enqueue"], parameters)


def enqueue_idle_blocking(
    conn: blocking.Connection, jobs: Sequence[DueJob], *, retry_failed_after_s: float | None = None
) -> int:
    """Do what `enqueue_idle` does, on a worker's connection; return how many became due."""
    idle = _idle(jobs, retry_failed_after_s)
    return sum(blocking.fetch_value(conn, SQL["enqueue"], parameters) for parameters in idle)


async def wake_postponed(conn: Connection, namespace_id: int, error: str) -> None:
    """Make jobs due that a worker gave back with this error; running ones are due at once if they are given back."""
    parameters = {"namespace_id": namespace_id, "error": error}
    await statements.execute(conn, SQL["wake_postponed"], parameters)


def _idle(jobs: Sequence[DueJob], retry_failed_after_s: float | None) -> list[dict[str, Any]]:
    idle = {"only_idle": True, "retry_failed_after_s": retry_failed_after_s}
    return [{**parameters, **idle} for parameters in _each(jobs)]


def _each(jobs: Sequence[DueJob]) -> list[dict[str, Any]]:
    """Return the parameters for each namespace, in the order in which they first come."""
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    groups: dict[int, list[DueJob]] = defaultdict(list)
    for job in jobs:
        groups[job.namespace_id].append(job)
    return [
        {
            "namespace_id": namespace_id,
            "tasks": [job.task for job in group],
            "subjects": [job.subject for job in group],
            "delays_s": [job.delay_s for job in group],
            "trace_context": Jsonb(carrier) if carrier else None,
            "postpone": False,
            "only_idle": False,
            "retry_failed_after_s": None,
        }
        for namespace_id, group in groups.items()
    ]

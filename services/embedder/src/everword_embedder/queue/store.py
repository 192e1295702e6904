"""The worker's statements as typed functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
import numpy.typing as npt

from everword.db.arrays import ArrayParameter
from everword.db.blocking import (
    Connection,
    execute,
    fetch_all,
    fetch_each,
    fetch_value,
    fetch_values,
)
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword.domain.credentials import CredentialPolicy

SQL = load_statements("everword_embedder.queue")


@dataclass(frozen=True)
class WrittenGeneration:
    """A model generation that writes enqueue vectors for."""

    id: int
    state: str
    provider: str
    endpoint: str
    model: str
    dimensions: int
    query_prefix: str
    passage_prefix: str
    #: `halfvec` or `array`.
    storage: str
    #: True if the cosine of unrelated texts was measured.
    calibrated: bool


@dataclass(frozen=True)
class PendingVector:
    """A passage that this worker is to embed."""

    namespace_id: int
    memory_id: int
    #: Which attempt this is; only the latest one's result counts.
    attempts: int
    enqueued_at: datetime


def by_namespace(pending: Iterable[PendingVector]) -> dict[int, list[PendingVector]]:
    groups: dict[int, list[PendingVector]] = defaultdict(list)
    for entry in pending:
        groups[entry.namespace_id].append(entry)
    return groups


@dataclass(frozen=True)
class Passage:
    """The words of a passage."""

    memory_id: int
    content: str
    #: The headings above a part of a document, the outermost first.
    headings: list[str]
    #: The passage before it in the same part of a document; else empty.
    before: str


@dataclass(frozen=True)
class TextPart:
    """The words of a passage, with its source."""

    memory_id: int
    content: str
    source_id: UUID


@dataclass(frozen=True)
class Backlog:
    """The passages that are pending over all namespaces."""

    pending: int
    #: Age of the longest waiting passage in seconds; 0 if none waits.
    oldest_s: float


@dataclass(frozen=True)
class _NamespaceShare:
    """How many places a namespace has in a batch."""

    namespace_id: int
    share: int


@dataclass(frozen=True)
class _CompletedRow:
    memory_id: int


@statement(SQL)
def live_generations(conn: Connection) -> list[WrittenGeneration]: ...


@statement(SQL)
def set_background(conn: Connection, generation_id: int, mean: float, deviation: float) -> None: ...


def claim_pending(
    conn: Connection,
    generation_id: int,
    after: int,
    batch: int,
    few: int,
    lease_s: float,
    *,
    only_few: bool = False,
    early: bool = False,
) -> list[PendingVector]:
    """Take up to `batch` passages for `lease_s`: of the namespaces that come next `after` one a few each, or more.

    With `only_few`, only namespaces with at most `few` pending rows. With `early`, also derived text that still yields
    to messages (for a minute after it was enqueued).
    """
    parameters = {
        "generation_id": generation_id,
        "after": after,
        "batch": batch,
        "few": few,
        "only_few": only_few,
        "early": early,
    }
    shares = fetch_all(conn, SQL["find_pending"], parameters, _NamespaceShare)
    claimed = {"generation_id": generation_id, "lease_s": lease_s, "early": early}
    each = [{**asdict(share), **claimed} for share in shares]
    return fetch_each(conn, SQL["claim_pending"], each, PendingVector)


@statement(SQL)
def read_passages(
    conn: Connection, namespace_id: int, memory_ids: Sequence[int]
) -> list[Passage]: ...


def masks_credentials(conn: Connection, namespace_id: int) -> bool:
    """Return whether credentials are masked in texts sent to third parties. A deleted namespace has nothing to send."""
    policy: int | None = fetch_value(conn, SQL["read_credentials"], {"namespace_id": namespace_id})
    return policy != CredentialPolicy.KEEP


@statement(SQL)
def read_around(
    conn: Connection, namespace_id: int, memory_ids: Sequence[int], around: int
) -> list[TextPart]:
    """Return passages with up to `around` before and after them, in the order of their texts."""


def complete_pending(
    conn: Connection, namespace_id: int, generation_id: int, pending: Sequence[PendingVector]
) -> set[int]:
    """Take passages off the queue; returns those whose latest attempt this is."""
    rows = fetch_all(
        conn,
        SQL["complete_pending"],
        _lease_parameters(namespace_id, generation_id, pending),
        _CompletedRow,
    )
    return {row.memory_id for row in rows}


def store_vectors(
    conn: Connection,
    namespace_id: int,
    generation: WrittenGeneration,
    memory_ids: Sequence[int],
    vectors: npt.NDArray[np.float32],
) -> None:
    """Keep the vectors of passages, (passages, dimensions)."""
    name = "store_halfvecs" if generation.storage == "halfvec" else "store_arrays"
    order = np.argsort(memory_ids)
    parameters = {
        "namespace_id": namespace_id,
        "memory_ids": ArrayParameter(np.asarray(memory_ids)[order]),
        "vectors": ArrayParameter(vectors[order].ravel()),
        "dimensions": vectors.shape[1],
    }
    execute(conn, SQL[name].of_generation(generation.id), parameters)


def release_pending(
    conn: Connection,
    namespace_id: int,
    generation_id: int,
    pending: Sequence[PendingVector],
    pause_s: float,
    error: str,
) -> None:
    held = _lease_parameters(namespace_id, generation_id, pending)
    execute(conn, SQL["release_pending"], {**held, "pause_s": pause_s, "error": error})


@statement(SQL)
def pause_namespace(
    conn: Connection, namespace_id: int, generation_id: int, pause_s: float
) -> None:
    """Claim nothing of a namespace for a generation until a pause is over."""


def fail_pending(
    conn: Connection,
    generation_id: int,
    pending: PendingVector,
    error: str,
    *,
    final: bool,
    pause_s: float,
) -> None:
    parameters = {
        "namespace_id": pending.namespace_id,
        "generation_id": generation_id,
        "memory_id": pending.memory_id,
        "attempts": pending.attempts,
        "error": error,
        "final": final,
        "pause_s": pause_s,
    }
    execute(conn, SQL["fail_pending"], parameters)


def forgotten_namespaces(conn: Connection, max_wait_s: float) -> list[int]:
    """Return the namespaces whose vectors have been pending for so long, and that have no job to make them."""
    parameters = {"max_wait_s": max_wait_s}
    return fetch_values(conn, SQL["forgotten_namespaces"], parameters)


def measure_backlog(conn: Connection, cap: int) -> Backlog:
    pending = int(fetch_value(conn, SQL["count_backlog"], {"cap": cap}))
    return Backlog(pending, float(fetch_value(conn, SQL["oldest_pending"])))


def backfill_generation(conn: Connection, batch: int) -> int:
    """Queue a batch of the backlog; returns the number of passages and namespaces read, 0 if there is nothing to do."""
    return int(fetch_value(conn, SQL["backfill_generation"], {"batch": batch}) or 0)


def _lease_parameters(
    namespace_id: int, generation_id: int, pending: Sequence[PendingVector]
) -> dict[str, object]:
    return {
        "namespace_id": namespace_id,
        "generation_id": generation_id,
        "memory_ids": [entry.memory_id for entry in pending],
        "attempts": [entry.attempts for entry in pending],
    }

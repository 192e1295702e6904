"""Store passages and remove them, in the caller's transaction, with all that depends on them.

A write that adds passages makes their vectors due by a job, `vectors_job`, which it enqueues together with its others:
rows of jobs are locked in one order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db import blocking
from everword.db.arrays import Column, array_literal
from everword.db.pool import Connection
from everword.db.statements import BoundStatement, Pending, ask, execute, load_statements
from everword.db.typed_statements import statement
from everword.index.passages import IndexedPassage, IndexedSource
from everword.jobs.enqueue import EMBED, DueJob, enqueue_blocking, shard

SQL = load_statements("everword.index")
#: Seconds for which derived text yields to new messages in the embedding queue, unless a worker is idle.
#: `claim_pending` of the embedder has the same number.
DERIVED_DELAY_S = 60


@dataclass(frozen=True)
class IndexWriteResult:
    """The result of a write."""

    #: The highest id of a passage; 0 without any.
    highest: int


@dataclass(frozen=True)
class Validity:
    """When passages hold, and since when they are believed; None for always, and for as long as they are stored."""

    valid_from: datetime | None = None
    valid_until: datetime | None = None
    known_from: datetime | None = None


UNLIMITED = Validity()


@dataclass(frozen=True)
class Counts:
    """Counts that a write adds to its namespace in addition to passages."""

    messages: int = 0
    turns: int = 0
    content_bytes: int = 0
    #: Names of authors, sorted, so that two concurrent writes cannot deadlock.
    author_names: Sequence[str] = ()


def vectors_job(namespace_id: int, id_: UUID) -> DueJob:
    """Return the job that makes vectors for an id: that of a source, or of the conversation of several."""
    return DueJob(namespace_id, EMBED, shard(id_))


async def add_passages(
    conn: Connection,
    namespace_id: int,
    passages: Sequence[IndexedPassage],
    counts: Counts,
    limits: Validity = UNLIMITED,
) -> Pending[IndexWriteResult]:
    """Index passages of new sources; the result can be read later in the pipeline."""
    parameters = _parameters(namespace_id, passages, counts, limits)
    return await ask(conn, BoundStatement(SQL["insert_passages"], parameters, IndexWriteResult))


def add_passages_blocking(
    conn: blocking.Connection,
    namespace_id: int,
    passages: Sequence[IndexedPassage],
    counts: Counts,
    limits: Validity = UNLIMITED,
) -> None:
    """Index derived text on a worker's connection; its vectors are made after the vectors of messages."""
    parameters = _parameters(namespace_id, passages, counts, limits)
    parameters["vector_delay_s"] = DERIVED_DELAY_S
    blocking.execute(conn, SQL["insert_passages"], parameters)


async def replace_passages(
    conn: Connection,
    namespace_id: int,
    source_ids: Sequence[UUID],
    passages: Sequence[IndexedPassage],
    counts: Counts,
    limits: Validity = UNLIMITED,
) -> Pending[IndexWriteResult]:
    """Replace the passages of sources, or remove them if `passages` is empty; searches no longer find the old ones.

    Passages of messages stay. The caller enqueues the vectors.
    """
    await execute(
        conn, SQL["remove_passages"], {"namespace_id": namespace_id, "source_ids": list(source_ids)}
    )
    return await add_passages(conn, namespace_id, passages, counts, limits)


def replace_passages_blocking(
    conn: blocking.Connection,
    namespace_id: int,
    source_ids: Sequence[UUID],
    passages: Sequence[IndexedPassage],
) -> None:
    """Replace passages that background work wrote for sources, if there are any.

    Passages of messages stay: background work never removes these.
    """
    blocking.execute(
        conn, SQL["remove_passages"], {"namespace_id": namespace_id, "source_ids": list(source_ids)}
    )
    if passages:
        add_passages_blocking(conn, namespace_id, passages, Counts())
        enqueue_blocking(conn, [vectors_job(namespace_id, source_ids[0])])


@statement(SQL)
async def close_passages(
    conn: Connection,
    namespace_id: int,
    source_ids: Sequence[UUID],
    *,
    valid_until: datetime | None = None,
    known_until: datetime | None = None,
) -> None:
    """Set the end of validity, and of belief, of passages of facts or of background work.

    None leaves either unchanged. Searches leave out passages that have ended; those as of an earlier time find them.
    """


@statement(SQL, "close_passages")
def close_passages_blocking(
    conn: blocking.Connection,
    namespace_id: int,
    source_ids: Sequence[UUID],
    *,
    valid_until: datetime | None = None,
    known_until: datetime | None = None,
) -> None:
    """Do what `close_passages` does, on a worker's connection."""


@statement(SQL)
def find_sources(
    conn: blocking.Connection, namespace_id: int, source_ids: Sequence[UUID]
) -> list[IndexedSource]:
    """Return the indexed ones among sources, by their ids."""


def _parameters(
    namespace_id: int,
    passages: Sequence[IndexedPassage],
    counts: Counts,
    limits: Validity,
) -> dict[str, Any]:
    sources = [passage.source for passage in passages]
    return {
        "namespace_id": namespace_id,
        "kind": Column("int2", [source.kind for source in sources]),
        "source_id": Column("uuid", [source.id for source in sources]),
        "part": Column("int4", [passage.part for passage in passages]),
        "conversation_id": Column("uuid", [source.conversation_id for source in sources]),
        "seq": Column("int8", [source.seq for source in sources]),
        "agent": Column("text", [source.agent for source in sources]),
        "subject": Column("text", [source.subject for source in sources]),
        "channel": Column("text", [source.channel for source in sources]),
        "instance": Column("text", [source.instance for source in sources]),
        "author": Column("text", [source.author for source in sources]),
        "role": Column("int2", [source.role for source in sources]),
        "tags": Column("text", [array_literal(source.tags) for source in sources]),
        "importance_class": Column("int2", [source.importance_class for source in sources]),
        "automated": Column("bool", [source.automated for source in sources]),
        "occurred_at": Column("timestamptz", [source.occurred_at for source in sources]),
        "content": Column("text", [passage.content for passage in passages]),
        "lexemes": Column("text", [passage.lexemes for passage in passages]),
        "literals": Column("text", [passage.literals for passage in passages]),
        "ranking": Column("bytea", [passage.ranking for passage in passages]),
        "valid_from": limits.valid_from,
        "valid_until": limits.valid_until,
        "known_from": limits.known_from,
        "messages": counts.messages,
        "turns": counts.turns,
        "content_bytes": counts.content_bytes,
        "author_names": Column("text", list(counts.author_names)),
        "vector_delay_s": 0,
    }

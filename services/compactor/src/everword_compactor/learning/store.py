"""The statements of learning as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db import blocking, pool, statements
from everword.db.blocking import Connection, fetch_all
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword.jobs.store import SQL as JOBS
from everword.jobs.store import StartedJob

SQL = load_statements("everword_compactor.learning")


@dataclass(frozen=True)
class LearningProgress:
    """A conversation, and how far facts were learned from it."""

    id: UUID
    subject: str
    agent: str
    channel: str
    last_seq: int
    learned_seq: int
    #: The time zone of its namespace.
    zone: str


@dataclass(frozen=True)
class LearnableMessage:
    """A message of a conversation."""

    id: UUID
    seq: int
    author: str
    content: str
    occurred_at: datetime
    #: True if a user wrote it, and not a program.
    said: bool


@dataclass(frozen=True)
class Speaker:
    """A user who speaks in a conversation."""

    author: str


@statement(SQL)
def read_learned(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> LearningProgress | None: ...


def list_speakers(
    conn: Connection, namespace_id: int, conversation_id: UUID, after: int, through: int
) -> list[str]:
    """Return the names of the users who speak in a stretch of a conversation."""
    parameters = _moved(namespace_id, conversation_id, after, through)
    return [row.author for row in fetch_all(conn, SQL["list_speakers"], parameters, Speaker)]


@statement(SQL)
def next_learnable_messages(
    conn: Connection, namespace_id: int, conversation_id: UUID, after: int, limit: int
) -> list[LearnableMessage]:
    """Return the next messages after a place."""


def advance_learned(
    conn: Connection, namespace_id: int, conversation_id: UUID, after: int, through: int
) -> bool:
    """Move the progress from one position to another; False if another worker moved it."""
    parameters = _moved(namespace_id, conversation_id, after, through)
    return blocking.fetch_value(conn, SQL["advance_learned"], parameters) is not None


async def lock_learning_progress(
    conn: pool.Connection,
    namespace_id: int,
    conversation_id: UUID,
    after: int,
    through: int,
    job: StartedJob,
) -> bool:
    """Move the progress as `advance_learned` does, and lock the job; False if another worker has either.

    The last statements of a transaction, because rows of `jobs` are locked after all others.
    """
    parameters = _moved(namespace_id, conversation_id, after, through)
    moved = await statements.fetch_value(conn, SQL["advance_learned"], parameters)
    held = await statements.fetch_value(conn, JOBS["lock_job"], job.lease_parameters)
    return moved is not None and held is not None


def _moved(namespace_id: int, conversation_id: UUID, after: int, through: int) -> dict[str, object]:
    return {
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "after": after,
        "through": through,
    }


@dataclass(frozen=True)
class EvidencedFact:
    """A current fact, and a message that states it."""

    message_id: UUID
    subject: str
    attribute: str
    value: str
    several: bool


@statement(SQL)
def list_earlier_messages(
    conn: Connection,
    namespace_id: int,
    message_id: UUID,
    words: str,
    near: int,
    elsewhere: bool,
) -> list[LearnableMessage]:
    """Return messages that a message may correct; `elsewhere` to look in other conversations, too.

    `words` is a tsquery.
    """


@statement(SQL)
def lock_sources(conn: Connection, namespace_id: int, message_ids: Sequence[UUID]) -> None:
    """Lock messages, unless they are missing. Raises SerializationFailure if one is being erased."""


@statement(SQL)
def insert_corrections(
    conn: Connection,
    namespace_id: int,
    message_ids: Sequence[UUID],
    corrected_ids: Sequence[UUID],
    kinds: Sequence[int],
    values: Sequence[str],
    current_values: Sequence[str],
    now: datetime,
) -> None: ...


@statement(SQL)
async def list_stated_facts(
    conn: pool.Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> list[EvidencedFact]: ...

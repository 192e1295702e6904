"""Reads of Sleep, as typed functions: one for each statement in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from everword.db.blocking import (
    Connection,
    execute,
    fetch_all,
    fetch_values,
)
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword.facts.model import FactRuling, FactSource, FactState, Key
from everword_compactor.sleep.model import (
    KnownFact,
    Observation,
    Quote,
    SessionMessage,
    SessionRow,
)

SQL = load_statements("everword_compactor.sleep")


@dataclass(frozen=True)
class SleepProgress:
    """A conversation, and how far Sleep came in it."""

    id: UUID
    agent: str
    channel: str
    subject: str
    last_seq: int
    slept_seq: int
    #: Up to where a session counts as finished.
    wanted_seq: int


@dataclass(frozen=True)
class StoredMessage(SessionMessage):
    """A message, and when it was stored."""

    recorded_at: datetime = datetime.max


@dataclass(frozen=True)
class UnreadSession:
    """A session that failed, or that is to be read again."""

    id: UUID
    first_seq: int
    last_seq: int


@dataclass(frozen=True)
class SleepBacklog:
    """A conversation, and how far Sleep came in it."""

    id: UUID
    last_seq: int
    slept_seq: int
    #: True if a session is parked or to be read again.
    has_unread: bool

    @property
    def is_waiting(self) -> bool:
        return self.slept_seq < self.last_seq or self.has_unread


@dataclass(frozen=True)
class CurrentFactRow:
    """A fact that holds."""

    id: UUID
    subject: str
    attribute: str
    value: str
    category: str
    state: int
    source: int
    confidence: float
    mentions: int
    several: bool
    first_seen_at: datetime
    last_seen_at: datetime
    lifetime_days: int
    ruling: int | None
    hypothesis: bool
    is_anchor: bool

    def known(self) -> KnownFact:
        return KnownFact(
            id=self.id,
            key=Key(self.subject, self.attribute),
            value=self.value,
            category=self.category,
            state=FactState(self.state),
            source=FactSource(self.source),
            confidence=self.confidence,
            mentions=self.mentions,
            several=self.several,
            first_seen_at=self.first_seen_at,
            last_seen_at=self.last_seen_at,
            lifetime_days=self.lifetime_days,
            is_ruled=self.ruling == FactRuling.RIGHT,
            hypothesis=self.hypothesis,
            is_anchor=self.is_anchor,
        )


@dataclass(frozen=True)
class ObservationRow:
    """An observation, as it is stored."""

    id: UUID
    session_id: UUID
    conversation_id: UUID
    subject: str
    about: str
    attribute: str
    value: str
    hypothesis: bool
    message_ids: Sequence[UUID]
    seqs: Sequence[int]
    quotes: Sequence[str]
    said_at: Sequence[datetime]

    def observation(self) -> Observation:
        parts = zip(self.message_ids, self.seqs, self.said_at, self.quotes, strict=True)
        return Observation(
            id=self.id,
            subject=self.subject,
            about=self.about,
            attribute=self.attribute,
            value=self.value,
            quotes=[
                Quote(id_, self.conversation_id, seq, at, text) for id_, seq, at, text in parts
            ],
            hypothesis=self.hypothesis,
        )


@statement(SQL)
def read_sleep_progress(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> SleepProgress | None: ...


@statement(SQL)
def read_messages(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID,
    after: int,
    through: int,
    limit: int,
) -> list[StoredMessage]: ...


@statement(SQL)
def list_unread(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> list[UnreadSession]: ...


def sleep_backlog(
    conn: Connection, namespace_id: int, after: UUID, limit: int
) -> list[SleepBacklog]:
    """Return the next conversations of a namespace, slept or not."""
    parameters = {"namespace_id": namespace_id, "after": after, "limit": limit, "subject": None}
    return fetch_all(conn, SQL["sleep_backlog"], parameters, SleepBacklog)


def resting_conversations(conn: Connection, namespace_id: int, limit: int) -> list[UUID]:
    """Return conversations that wait for a pause in them."""
    parameters = {"namespace_id": namespace_id, "limit": limit}
    return fetch_values(conn, SQL["resting_conversations"], parameters)


def read_profile(
    conn: Connection, namespace_id: int, subjects: Sequence[str], now: datetime, limit: int
) -> list[KnownFact]:
    parameters = {
        "namespace_id": namespace_id,
        "subjects": list(subjects),
        "now": now,
        "limit": limit,
    }
    return [row.known() for row in fetch_all(conn, SQL["read_profile"], parameters, CurrentFactRow)]


@dataclass(frozen=True)
class _Topic:
    topic: str


def known_topics(conn: Connection, namespace_id: int, limit: int) -> list[str]:
    parameters = {"namespace_id": namespace_id, "limit": limit}
    return [row.topic for row in fetch_all(conn, SQL["known_topics"], parameters, _Topic)]


@dataclass(frozen=True)
class _Subject:
    subject: str


def closing_subjects(
    conn: Connection, namespace_id: int, at_night: bool, now: datetime
) -> list[str]:
    """Return the subjects for which the closing steps are due."""
    parameters = {"namespace_id": namespace_id, "at_night": at_night, "now": now}
    rows = fetch_all(conn, SQL["closing_subjects"], parameters, _Subject)
    return [row.subject for row in rows]


@statement(SQL)
def waiting_sessions(
    conn: Connection, namespace_id: int, subject: str, limit: int
) -> list[SessionRow]: ...


def read_observations(
    conn: Connection, namespace_id: int, session_ids: Sequence[UUID]
) -> list[Observation]:
    parameters = {"namespace_id": namespace_id, "session_ids": list(session_ids)}
    rows = fetch_all(conn, SQL["read_observations"], parameters, ObservationRow)
    return [row.observation() for row in rows]


@dataclass(frozen=True)
class _FactId:
    fact_id: UUID


def touched_facts(conn: Connection, namespace_id: int, session_ids: Sequence[UUID]) -> list[UUID]:
    parameters = {"namespace_id": namespace_id, "session_ids": list(session_ids)}
    return [row.fact_id for row in fetch_all(conn, SQL["touched_facts"], parameters, _FactId)]


@statement(SQL)
def read_night(conn: Connection, namespace_id: int) -> date | None: ...


def nightless_namespaces(conn: Connection, limit: int, parked_s: float) -> list[int]:
    """Return namespaces with facts for which no nightly Sleep is scheduled."""
    parameters: dict[str, Any] = {"limit": limit, "parked_s": parked_s}
    return fetch_values(conn, SQL["nightless_namespaces"], parameters)


def request_sleep(conn: Connection, namespace_id: int, conversation_ids: Sequence[UUID]) -> None:
    """Let sessions of conversations count as finished as far as there are messages now."""
    parameters = {"namespace_id": namespace_id, "conversation_ids": sorted(conversation_ids)}
    execute(conn, SQL["request_sleep"], parameters)

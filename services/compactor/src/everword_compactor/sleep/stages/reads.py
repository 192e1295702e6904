"""What the closing steps read, as typed functions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.blocking import Connection, fetch_all
from everword.domain.sleep import SESSION_IDLE_S
from everword.facts.model import Source, State
from everword_compactor.sleep.model import KnownFact, Message
from everword_compactor.sleep.store import SQL, FactRow


@dataclass(frozen=True)
class EvidenceRow:
    """A piece of evidence."""

    fact_id: UUID
    message_id: UUID | None
    conversation_id: UUID | None
    contradicts: bool
    source: int
    hypothesis: bool
    quote: str
    reason: str
    said_at: datetime

    def record(self) -> dict[str, Any]:
        """Return it as a model sees it."""
        return {
            "time": self.said_at.isoformat(timespec="minutes"),
            "is": "against" if self.contradicts else "for",
            "source": Source(self.source).name.lower(),
            "quote": self.quote or self.reason,
        }


@dataclass(frozen=True)
class SummaryRow:
    """A summary of a stretch of a conversation."""

    content: str
    latest_at: datetime

    def record(self) -> dict[str, Any]:
        return {"until": self.latest_at.isoformat(timespec="minutes"), "text": self.content}


@dataclass(frozen=True)
class DisputeRow:
    """Two facts that contradict each other."""

    id: UUID
    opened_at: datetime
    old_id: UUID
    new_id: UUID
    subject: str
    attribute: str
    new_attribute: str
    old_value: str
    new_value: str
    old_mentions: int
    new_mentions: int
    old_last_seen_at: datetime
    new_first_seen_at: datetime
    old_ruling: int | None
    new_ruling: int | None
    old_state: int
    new_state: int
    new_hypothesis: bool
    new_source: int

    @property
    def is_stated(self) -> bool:
        """Tell whether the new one was said to be so, and is no guess."""
        return not self.new_hypothesis and self.new_source != Source.INFERRED


@dataclass(frozen=True)
class TimelineRow:
    """A time in which a value is believed to have held."""

    value: str
    state: int
    valid_from: datetime
    valid_until: datetime | None

    def record(self) -> dict[str, Any]:
        until = self.valid_until.date().isoformat() if self.valid_until else ""
        return {
            "value": self.value,
            "state": State(self.state).name.lower(),
            "from": self.valid_from.date().isoformat(),
            "until": until,
        }


@dataclass(frozen=True)
class EdgeRow:
    """A link between two facts."""

    id: UUID
    from_fact_id: UUID
    to_fact_id: UUID
    relation: int
    confidence: float


@dataclass(frozen=True)
class _Sessions:
    fact_id: UUID
    sessions: int


def count_sessions(conn: Connection, namespace_id: int, subject: str) -> Mapping[UUID, int]:
    """Return in how many sessions each suspected fact of a subject was stated, where that was several times."""
    parameters = {"namespace_id": namespace_id, "subject": subject, "idle_s": SESSION_IDLE_S}
    rows = fetch_all(conn, SQL["count_sessions"], parameters, _Sessions)
    return {row.fact_id: row.sessions for row in rows}


def read_evidence(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[EvidenceRow]:
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids)}
    return fetch_all(conn, SQL["read_evidence"], parameters, EvidenceRow)


def recent_summaries(
    conn: Connection, namespace_id: int, subjects: Sequence[str], since: datetime, limit: int
) -> list[SummaryRow]:
    parameters = {
        "namespace_id": namespace_id,
        "subjects": list(subjects),
        "since": since,
        "limit": limit,
    }
    return fetch_all(conn, SQL["recent_summaries"], parameters, SummaryRow)


def open_disputes(
    conn: Connection, namespace_id: int, subject: str, limit: int
) -> list[DisputeRow]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "limit": limit}
    return fetch_all(conn, SQL["open_disputes"], parameters, DisputeRow)


def read_timeline(
    conn: Connection, namespace_id: int, subject: str, attribute: str
) -> list[TimelineRow]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "attribute": attribute}
    return fetch_all(conn, SQL["read_timeline"], parameters, TimelineRow)


def read_around(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID], around: int
) -> list[Message]:
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids), "around": around}
    return fetch_all(conn, SQL["read_around"], parameters, Message)


def expired_facts(
    conn: Connection, namespace_id: int, subject: str, now: datetime, limit: int
) -> list[KnownFact]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "now": now, "limit": limit}
    rows = fetch_all(conn, SQL["expired_facts"], parameters, FactRow)
    return [row.known() for row in rows]


def read_edges(conn: Connection, namespace_id: int, subject: str, limit: int) -> list[EdgeRow]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "limit": limit}
    return fetch_all(conn, SQL["read_edges"], parameters, EdgeRow)


def fitting(records: Sequence[dict[str, Any]], room_chars: int) -> list[dict[str, Any]]:
    """Return as many of the first records as there is room for: none is cut."""
    kept = []
    for record in records:
        room_chars -= len(json.dumps(record, ensure_ascii=False)) + 1
        if room_chars < 0:
            break
        kept.append(record)
    return kept

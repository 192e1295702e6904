"""Reads of the closing steps, as typed functions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.blocking import Connection, fetch_all
from everword.domain.trust import TrustPolicy
from everword.facts.model import FactSource, FactState
from everword.facts.store import SQL as FACTS
from everword.facts.voices import EvidencedFacts, VoiceRow, weigh_voices
from everword.jobs.enqueue import SESSION_IDLE_S
from everword_compactor.nodes.store import node_namespace
from everword_compactor.sleep.model import KnownFact, SessionMessage
from everword_compactor.sleep.store import SQL, CurrentFactRow


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
    #: The channel of its message, if it names one.
    channel: str
    role: int
    tool_name: str

    def record(self) -> dict[str, Any]:
        """Return it as a model sees it."""
        return {
            "time": self.said_at.isoformat(timespec="minutes"),
            "is": "against" if self.contradicts else "for",
            "source": FactSource(self.source).name.lower(),
            "quote": self.quote or self.reason,
        }


@dataclass(frozen=True)
class SummaryRow:
    """A summary of a stretch of a conversation."""

    channel: str
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
    new_last_seen_at: datetime
    old_ruling: int | None
    new_ruling: int | None
    old_state: int
    new_state: int
    new_hypothesis: bool
    new_source: int
    #: True if trusted evidence supports one fact, and only untrusted evidence the other one.
    old_outranks: bool = False
    new_outranks: bool = False

    @property
    def is_stated(self) -> bool:
        """Return whether the new value was stated, and is neither a guess nor inferred."""
        return not self.new_hypothesis and self.new_source != FactSource.INFERRED


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
            "state": FactState(self.state).name.lower(),
            "from": self.valid_from.date().isoformat(),
            "until": until,
        }


@dataclass(frozen=True)
class FactLinkRow:
    """A link between two facts."""

    id: UUID
    from_fact_id: UUID
    to_fact_id: UUID
    relation: int
    confidence: float


@dataclass(frozen=True)
class _Sessions:
    fact_id: UUID
    channel: str
    sessions: int


def count_sessions(
    conn: Connection, namespace_id: int, subject: str, trust: TrustPolicy
) -> Mapping[UUID, int]:
    """Return the number of trusted sessions that state each suspected fact of a subject with several statements."""
    parameters = {"namespace_id": namespace_id, "subject": subject, "idle_s": SESSION_IDLE_S}
    rows = fetch_all(conn, SQL["count_sessions"], parameters, _Sessions)
    counts = Counter[UUID]()
    for row in rows:
        if not trust.is_open(row.channel):
            counts[row.fact_id] += row.sessions
    return counts


def read_evidence(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[EvidenceRow]:
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids)}
    return fetch_all(conn, SQL["read_evidence"], parameters, EvidenceRow)


def read_voices(
    conn: Connection, namespace_id: int, trust: TrustPolicy, fact_ids: Sequence[UUID]
) -> EvidencedFacts:
    """Return which facts trusted sources support or contradict."""
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids)}
    return weigh_voices(fetch_all(conn, FACTS["find_voices"], parameters, VoiceRow), trust)


def read_trust(conn: Connection, namespace_id: int) -> TrustPolicy:
    """Return the policy of the namespace; one that trusts every channel if the namespace is gone."""
    namespace = node_namespace(conn, namespace_id)
    return namespace.trust if namespace else TrustPolicy()


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
    rows = fetch_all(conn, SQL["open_disputes"], parameters, DisputeRow)
    if not rows:
        return []
    ids = [id_ for row in rows for id_ in (row.old_id, row.new_id)]
    trusted = read_voices(conn, namespace_id, read_trust(conn, namespace_id), ids).supported
    return [
        replace(
            row,
            old_outranks=row.old_id in trusted and row.new_id not in trusted,
            new_outranks=row.new_id in trusted and row.old_id not in trusted,
        )
        for row in rows
    ]


def read_timeline(
    conn: Connection, namespace_id: int, subject: str, attribute: str
) -> list[TimelineRow]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "attribute": attribute}
    return fetch_all(conn, SQL["read_timeline"], parameters, TimelineRow)


def read_around(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID], around: int
) -> list[SessionMessage]:
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids), "around": around}
    return fetch_all(conn, SQL["read_around"], parameters, SessionMessage)


def expired_facts(
    conn: Connection, namespace_id: int, subject: str, now: datetime, limit: int
) -> list[KnownFact]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "now": now, "limit": limit}
    rows = fetch_all(conn, SQL["expired_facts"], parameters, CurrentFactRow)
    return [row.known() for row in rows]


def read_edges(conn: Connection, namespace_id: int, subject: str, limit: int) -> list[FactLinkRow]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "limit": limit}
    return fetch_all(conn, SQL["read_edges"], parameters, FactLinkRow)


def fitting(records: Sequence[dict[str, Any]], budget_chars: int) -> list[dict[str, Any]]:
    """Return as many of the first records as there is room for: none is cut."""
    retained = []
    for record in records:
        budget_chars -= len(json.dumps(record, ensure_ascii=False)) + 1
        if budget_chars < 0:
            break
        retained.append(record)
    return retained

"""The statements that read facts as typed functions, one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_value, load_statements
from everword.db.typed_statements import statement
from everword.facts.model import USER
from everword.facts.store import FactView
from everword_search.facts.model import FactFilter, KnownFilter, ProfileRequest

SQL = load_statements("everword_search.facts")


@dataclass(frozen=True)
class KnownRow(FactView):
    """A fact with the latest messages that state it."""

    message_ids: list[UUID]
    #: The quote from each of these messages.
    quotes: list[str]


@dataclass(frozen=True)
class QuotedEvidenceRow:
    """A piece of evidence for or against a fact."""

    message_id: UUID | None
    conversation_id: UUID | None
    quote: str
    contradicts: bool
    source: int
    reason: str
    said_at: datetime
    #: True if the message comes from an untrusted channel or a tool.
    untrusted: bool


@dataclass(frozen=True)
class FactChangeRow:
    """An entry of a fact's audit trail."""

    changed_at: datetime
    actor: str
    action: str
    state: int
    reason: str
    other_fact_id: UUID | None


@dataclass(frozen=True)
class LinkRow:
    """A link between two facts."""

    from_fact_id: UUID
    to_fact_id: UUID
    relation: int
    confidence: float
    reason: str
    valid_from: datetime
    valid_until: datetime | None


@dataclass(frozen=True)
class LinkedRow:
    """A link between two facts; a query names one of them."""

    from_fact_id: UUID
    to_fact_id: UUID
    relation: int
    confidence: float
    #: True if the query names the first fact, False if the second.
    from_named: bool


@dataclass(frozen=True)
class FactDisputeRow:
    """A dispute between two facts."""

    id: UUID
    old_fact_id: UUID
    new_fact_id: UUID
    opened_at: datetime
    settled_at: datetime | None
    outcome: int | None
    decided_by: str | None
    reason: str


@dataclass(frozen=True)
class _OwnFactRow:
    memory_id: UUID


async def get_profile(
    conn: Connection, namespace_id: int, request: ProfileRequest, limit: int
) -> list[FactView]:
    parameters = _profile(namespace_id, request, limit)
    return await fetch_all(conn, SQL["get_profile"], parameters, FactView)


async def count_profile(
    conn: Connection, namespace_id: int, request: ProfileRequest, limit: int
) -> int:
    counted: int = await fetch_value(
        conn, SQL["count_profile"], _profile(namespace_id, request, limit)
    )
    return counted


def _profile(namespace_id: int, request: ProfileRequest, limit: int) -> dict[str, Any]:
    return {
        "namespace_id": namespace_id,
        "subject": request.subject,
        "categories": request.categories,
        "attributes": request.attributes,
        "include_expired": request.include_expired,
        **asdict(request.as_of),
        "limit": limit,
    }


async def find_known(
    conn: Connection, namespace_id: int, wanted: KnownFilter, limit: int, max_messages: int
) -> list[KnownRow]:
    parameters = {
        "namespace_id": namespace_id,
        "user": USER,
        **vars(wanted),
        **asdict(wanted.as_of),
        "limit": limit,
        "max_messages": max_messages,
    }
    return await fetch_all(conn, SQL["find_known"], parameters, KnownRow)


async def find_own(
    conn: Connection,
    namespace_id: int,
    subjects: Sequence[str],
    known_at: datetime | None,
    limit: int,
) -> list[UUID]:
    """Return up to `limit` fact memories of subjects that were learned in conversations that name no subject."""
    parameters = {
        "namespace_id": namespace_id,
        "user": USER,
        "subjects": list(subjects),
        "known_at": known_at,
        "limit": limit,
    }
    rows = await fetch_all(conn, SQL["find_own"], parameters, _OwnFactRow)
    return [row.memory_id for row in rows]


@statement(SQL)
async def find_linked(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID], query: str, limit: int
) -> list[LinkedRow]:
    """Return links between the given facts if one of the two shares a word with the query, most confident first."""


async def list_facts(
    conn: Connection,
    namespace_id: int,
    fact_filter: FactFilter,
    after: Sequence[UUID] | None,
    limit: int,
) -> list[FactView]:
    after_id, after_interval = after or (None, None)
    parameters: dict[str, Any] = {
        "namespace_id": namespace_id,
        "subjects": fact_filter.subjects,
        "attributes": fact_filter.attributes,
        "states": fact_filter.states,
        "everything": fact_filter.include_superseded,
        **asdict(fact_filter.as_of),
        "after_id": after_id,
        "after_interval": after_interval,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_facts"], parameters, FactView)


async def list_history(
    conn: Connection, namespace_id: int, subject: str, attribute: str, limit: int
) -> list[FactView]:
    parameters = {
        "namespace_id": namespace_id,
        "subject": subject,
        "attribute": attribute,
        "known_at": None,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_history"], parameters, FactView)


@statement(SQL)
async def list_evidence(
    conn: Connection, namespace_id: int, fact_id: UUID, limit: int
) -> list[QuotedEvidenceRow]: ...


@statement(SQL)
async def list_changes(
    conn: Connection, namespace_id: int, fact_id: UUID, limit: int
) -> list[FactChangeRow]: ...


@statement(SQL)
async def list_links(
    conn: Connection, namespace_id: int, fact_id: UUID, limit: int
) -> list[LinkRow]: ...


@statement(SQL)
async def list_disputes(
    conn: Connection, namespace_id: int, fact_id: UUID, limit: int
) -> list[FactDisputeRow]: ...


@statement(SQL)
async def list_open_disputes(
    conn: Connection,
    namespace_id: int,
    subjects: Sequence[str] | None,
    after_id: UUID | None,
    limit: int,
) -> list[FactDisputeRow]: ...

"""A worker's statements on tool sentences as typed functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.blocking import Connection, execute, fetch_all
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword_compactor.tool_sentences.model import ClaimedCall, ToolCall, ToolSentence
from everword_compactor.tool_sentences.prompt import TEMPLATE

SQL = load_statements("everword_compactor.tool_sentences")


@dataclass(frozen=True)
class _MessageRow:
    message_id: UUID


@statement(SQL)
def claim_calls(
    conn: Connection, namespace_id: int, limit: int, lease_s: float
) -> list[ClaimedCall]:
    """Claim up to `limit` tool calls for `lease_s`; those claimed by other workers are left out."""


def extend_claims(
    conn: Connection, namespace_id: int, claims: Sequence[ClaimedCall], lease_s: float
) -> None:
    execute(
        conn, SQL["extend_claims"], {**_lease_parameters(namespace_id, claims), "lease_s": lease_s}
    )


def read_calls(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> dict[UUID, ToolCall]:
    parameters = {"namespace_id": namespace_id, "message_ids": list(message_ids)}
    rows = fetch_all(conn, SQL["read_calls"], parameters, ToolCall)
    return {row.id: row for row in rows}


def complete_calls(conn: Connection, namespace_id: int, claims: Sequence[ClaimedCall]) -> set[UUID]:
    """Take tool calls off the queue; returns those whose latest attempt this is."""
    parameters = _lease_parameters(namespace_id, claims)
    rows = fetch_all(conn, SQL["complete_calls"], parameters, _MessageRow)
    return {row.message_id for row in rows}


def release_calls(
    conn: Connection, namespace_id: int, claims: Sequence[ClaimedCall], error: str
) -> None:
    execute(conn, SQL["release_calls"], {**_lease_parameters(namespace_id, claims), "error": error})


def fail_call(
    conn: Connection,
    namespace_id: int,
    claim: ClaimedCall,
    error: str,
    *,
    final: bool,
    pause_s: float,
) -> None:
    """Record a failure: another attempt after `pause_s`, or none if it is `final`."""
    parameters = {
        "namespace_id": namespace_id,
        "message_id": claim.message_id,
        "attempts": claim.attempts,
        "error": error,
        "final": final,
        "pause_s": pause_s,
    }
    execute(conn, SQL["fail_call"], parameters)


@statement(SQL)
def next_due(conn: Connection, namespace_id: int) -> datetime | None:
    """Return the time at which the next tool call can be claimed; None if no sentence is pending."""


def upsert_sentences(
    conn: Connection, namespace_id: int, sentences: Mapping[UUID, ToolSentence]
) -> set[UUID]:
    """Keep sentences by their messages; returns whose were kept."""
    ordered = sorted(sentences.items())
    parameters = {
        "namespace_id": namespace_id,
        "message_ids": [message_id for message_id, _ in ordered],
        "contents": [sentence.content for _, sentence in ordered],
        "models": [sentence.model for _, sentence in ordered],
        "prompt_versions": [sentence.prompt_version for _, sentence in ordered],
        "template": TEMPLATE,
    }
    rows = fetch_all(conn, SQL["upsert_sentences"], parameters, _MessageRow)
    return {row.message_id for row in rows}


def _lease_parameters(namespace_id: int, claims: Sequence[ClaimedCall]) -> dict[str, Any]:
    ordered = sorted(claims, key=lambda claim: claim.message_id)
    return {
        "namespace_id": namespace_id,
        "message_ids": [claim.message_id for claim in ordered],
        "attempts": [claim.attempts for claim in ordered],
    }

"""Statements on pending sentences, as MaintenanceService uses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_value, fetch_values
from everword.jobs.enqueue import TOOL_SENTENCES, DueJob, enqueue, shards
from everword_compactor.tool_sentences.model import ParkedCall
from everword_compactor.tool_sentences.prompt import TEMPLATE, TOOL_SENTENCE_VERSION
from everword_compactor.tool_sentences.store import SQL


@dataclass(frozen=True)
class MessageRange:
    """Messages of a namespace, by their ids."""

    #: Not itself.
    after: UUID
    last: UUID


async def last_message(conn: Connection, namespace_id: int, after: UUID, limit: int) -> UUID | None:
    """Return the last of the next `limit` messages above `after`; None if there are none."""
    parameters = {"namespace_id": namespace_id, "after": after, "limit": limit}
    found: UUID | None = await fetch_value(conn, SQL["last_message"], parameters)
    return found


async def find_missing_sentences(
    conn: Connection, namespace_id: int, span: MessageRange, with_model: bool, limit: int | None
) -> list[UUID]:
    """Return up to `limit` tool calls of a span whose sentence is missing or outdated, and not pending."""
    parameters = {
        "namespace_id": namespace_id,
        "after": span.after,
        "last": span.last,
        "limit": limit,
        "with_model": with_model,
        "template": TEMPLATE,
        "prompt_version": TOOL_SENTENCE_VERSION,
    }
    return await fetch_values(conn, SQL["find_missing_sentences"], parameters)


async def enqueue_sentences(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> list[UUID]:
    """Make sentences of tool calls pending; return the calls that were not pending before."""
    parameters = {"namespace_id": namespace_id, "message_ids": list(message_ids)}
    return await fetch_values(conn, SQL["enqueue_sentences"], parameters)


async def schedule_sentences(conn: Connection, namespace_id: int) -> None:
    """Schedule pending sentences at once."""
    if await fetch_value(conn, SQL["has_pending_sentences"], {"namespace_id": namespace_id}):
        due = [DueJob(namespace_id, TOOL_SENTENCES, subject) for subject in shards()]
        await enqueue(conn, due)


async def list_parked_calls(conn: Connection, namespace_id: int, limit: int) -> list[ParkedCall]:
    parameters = {"namespace_id": namespace_id, "limit": limit}
    return await fetch_all(conn, SQL["list_parked_calls"], parameters, ParkedCall)

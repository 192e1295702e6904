"""Statements on pending sentences, as MaintenanceService uses them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_value
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


async def count_missing_sentences(
    conn: Connection, namespace_id: int, span: MessageRange, with_model: bool, limit: int | None
) -> int:
    parameters = _parameters(namespace_id, span, with_model, limit)
    return int(await fetch_value(conn, SQL["count_missing_sentences"], parameters))


async def enqueue_sentences(
    conn: Connection, namespace_id: int, span: MessageRange, with_model: bool, limit: int | None
) -> int:
    """Put up to `limit` tool calls of a span into the queue; returns how many became pending."""
    parameters = _parameters(namespace_id, span, with_model, limit)
    return int(await fetch_value(conn, SQL["enqueue_sentences"], parameters))


async def schedule_sentences(conn: Connection, namespace_id: int) -> None:
    """Schedule pending sentences at once."""
    if await fetch_value(conn, SQL["has_pending_sentences"], {"namespace_id": namespace_id}):
        due = [DueJob(namespace_id, TOOL_SENTENCES, subject) for subject in shards()]
        await enqueue(conn, due)


async def list_parked_calls(conn: Connection, namespace_id: int, limit: int) -> list[ParkedCall]:
    parameters = {"namespace_id": namespace_id, "limit": limit}
    return await fetch_all(conn, SQL["list_parked_calls"], parameters, ParkedCall)


def _parameters(
    namespace_id: int, span: MessageRange, with_model: bool, limit: int | None
) -> dict[str, object]:
    return {
        "namespace_id": namespace_id,
        "after": span.after,
        "last": span.last,
        "limit": limit,
        "with_model": with_model,
        "template": TEMPLATE,
        "prompt_version": TOOL_SENTENCE_VERSION,
    }

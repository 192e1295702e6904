"""The statements that write conversations, as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.db.namespaces import NamespaceSettings, namespace_settings, the_settings
from everword.db.pool import Connection
from everword.db.statements import (
    BoundStatement,
    execute,
    fetch_each,
    fetch_optional,
    fetch_value,
    fetch_values,
    load_statements,
)
from everword.domain.records import ConversationRecord
from everword.jobs.enqueue import SESSION_IDLE_S, SLEEP, DueJob, enqueue
from everword_ingest.conversations.model import ConversationSpec, LockedConversation

SQL = load_statements("everword_ingest.conversations")
#: Seconds without a message after which a conversation without a subject ends when another one begins.
RESTED_S = 5 * 60.0


async def insert_conversation(
    conn: Connection, namespace_id: int, id_: UUID, spec: ConversationSpec
) -> bool:
    """Insert and count a conversation; False if its key exists."""
    values = {**asdict(spec), "settings": _jsonb(spec.settings)}
    parameters = {"namespace_id": namespace_id, "id": id_, **values}
    if await fetch_value(conn, SQL["insert_conversation"], parameters) is None:
        return False
    await execute(conn, SQL["count_conversation"], {"namespace_id": namespace_id})
    return True


async def find_conversation(
    conn: Connection, namespace_id: int, spec: ConversationSpec
) -> ConversationRecord | None:
    parameters = _key(namespace_id, spec)
    return await fetch_optional(conn, SQL["find_conversation"], parameters, ConversationRecord)


async def lock_conversation(
    conn: Connection, namespace_id: int, target: UUID | ConversationSpec
) -> tuple[LockedConversation | None, NamespaceSettings]:
    """Return a conversation, held by this transaction, and what its namespace's writes depend on.

    Raises NamespaceNotFound.
    """
    if isinstance(target, UUID):
        statement = SQL["lock_conversation"]
        parameters = {"namespace_id": namespace_id, "conversation_id": target}
    else:
        statement, parameters = SQL["lock_conversation_by_key"], _key(namespace_id, target)
    locked, settings = await fetch_each(
        conn,
        BoundStatement(statement, parameters, LockedConversation),
        namespace_settings(namespace_id),
    )
    return next(iter(locked), None), the_settings(settings)


async def update_conversation(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID,
    fields: Sequence[str],
    values: dict[str, Any],
) -> ConversationRecord | None:
    """Change the named fields; `values` holds `title`, `settings`, `active`, `client_session_id` and `task_id`."""
    parameters = {
        **values,
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "fields": list(fields),
        "settings": _jsonb(values["settings"]),
    }
    return await fetch_optional(conn, SQL["update_conversation"], parameters, ConversationRecord)


async def end_earlier_sessions(
    conn: Connection, namespace_id: int, conversation: LockedConversation
) -> list[UUID]:
    """End earlier sessions of the same subject, agent and channel; return their conversations.

    Conversations without a subject may be of several users, so only those that have rested are ended.
    """
    rested_s = 0.0 if conversation.subject else RESTED_S
    parameters = {
        "rested_s": rested_s,
        "idle_s": SESSION_IDLE_S,
        "namespace_id": namespace_id,
        "conversation_id": conversation.id,
        "agent": conversation.agent,
        "channel": conversation.channel,
        "subject": conversation.subject,
    }
    ended: list[UUID] = await fetch_values(conn, SQL["find_earlier_sessions"], parameters)
    if ended:
        await _end_sessions(conn, namespace_id, ended)
    return ended


async def end_session(conn: Connection, namespace_id: int, conversation_id: UUID) -> None:
    """Let the messages of a conversation so far count as a finished session, and make its Sleep due."""
    if any(await _end_sessions(conn, namespace_id, [conversation_id])):
        await enqueue(conn, [DueJob(namespace_id, SLEEP, str(conversation_id))])


async def _end_sessions(
    conn: Connection, namespace_id: int, conversation_ids: Sequence[UUID]
) -> list[bool]:
    """Let the messages of conversations so far count as finished sessions; return whether each waits for Sleep."""
    parameters = {"namespace_id": namespace_id, "conversation_ids": list(conversation_ids)}
    return await fetch_values(conn, SQL["end_sessions"], parameters)


def _key(namespace_id: int, spec: ConversationSpec) -> dict[str, Any]:
    return {
        "namespace_id": namespace_id,
        "channel": spec.channel,
        "agent": spec.agent,
        "session_key": spec.session_key,
    }


def _jsonb(value: object) -> Jsonb | None:
    """Return `value` for a jsonb column; None stays NULL."""
    return None if value is None else Jsonb(value)

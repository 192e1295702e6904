"""Memories that Sleep learns besides facts, written as the compactor writes them, from existing messages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp

from everword.db.pool import Connection, Database
from everword.domain.ids import new_id
from everword.people.model import EventMention, MessageWords, PersonMention
from everword.people.strategies import ask
from everword.people.writer import meet_people, take_events
from support.calls import append, message
from support.databases import DatabaseUnderTest
from support.stack import Stack

#: The default namespace of a new deployment.
DEFAULT_NAMESPACE = 1
SUBJECT = "emi"
START = datetime.now(UTC).replace(microsecond=0) - timedelta(days=400)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def stamp(moment: datetime) -> Timestamp:
    found = Timestamp()
    found.FromDatetime(moment)
    return found


@asynccontextmanager
async def compactor_database(database: DatabaseUnderTest) -> AsyncIterator[Database]:
    opened = Database(database.settings("compactor"), "compactor")
    await opened.open()
    try:
        yield opened
    finally:
        await opened.close()


@asynccontextmanager
async def learning_transaction(
    database: DatabaseUnderTest, namespace_id: int = DEFAULT_NAMESPACE
) -> AsyncIterator[Connection]:
    async with compactor_database(database) as opened, opened.transaction(namespace_id) as conn:
        yield conn


async def say(
    stack: Stack, text: str, at: float, *, session_key: str = "s", **fields: Any
) -> MessageWords:
    """Append a user's message; return its text as evidence."""
    entry = message(text, create_time=stamp(day(at)), author="emi", **fields)
    stored = await append(stack, entry, session_key=session_key)
    return MessageWords(
        UUID(stored.messages[0].message_id), UUID(stored.conversation_id), text, day(at)
    )


async def learn_some(
    conn: Connection,
    subject: str,
    message_id: str,
    conversation_id: str,
    node_ids: Sequence[str],
    namespace_id: int = DEFAULT_NAMESPACE,
) -> None:
    """Store learned memories: a person, an event and a question of a subject, and pages about nodes."""
    said = MessageWords(
        UUID(message_id), UUID(conversation_id), "The VPN drops every day at noon.", day(0)
    )
    told = [replace(said, message_id=UUID(int=n), said_at=day(n)) for n in range(3)]
    people = [PersonMention("Bruno", each) for each in told]
    await meet_people(conn, namespace_id, subject, people)
    audit = EventMention("Audit", "work", said, decay_days=9999)
    await take_events(conn, namespace_id, subject, [audit])
    assert await ask(conn, namespace_id, subject, day(1))
    for node_id in node_ids:
        await conn.execute(
            "INSERT INTO topic_pages (namespace_id, node_id, id, title, type, content, source_ids, source_kinds) "
            "VALUES (%s, %s, %s, 'VPN gateway', 'machine', 'It restarts at 3 am.', '{}', '{}')",
            [namespace_id, UUID(node_id), new_id()],
        )

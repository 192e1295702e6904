"""Read topic pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.pool import Database
from everword.db.statements import fetch_all, fetch_optional, load_statements
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import TopicNotFound
from everword.graph.labels import label_hash
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.records.freshness import fresh_transaction

SQL = load_statements("everword_search.topics")


@dataclass(frozen=True)
class TopicRow:
    """A topic page."""

    node_id: UUID
    #: Id of the page's memory.
    id: UUID
    title: str
    type: str
    agent: str
    subject: str
    content: str
    source_ids: list[UUID]
    source_kinds: list[int]
    revision: int
    model: str
    made_at: datetime


@dataclass(frozen=True)
class TopicScope:
    """Filter of a list of topics by subject and agent; None admits all."""

    subjects: list[str] | None
    agents: list[str] | None


async def list_topics(
    database: Database,
    namespace: NamespaceScope,
    scope: TopicScope,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[TopicRow], str]:
    """Return a page of topics without their content and the token of the next page. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListTopics", page)
    parameters: dict[str, Any] = {
        "namespace_id": namespace.id,
        "subjects": scope.subjects,
        "agents": scope.agents,
        "after_id": cursor.after_id,
        "limit": cursor.limit,
    }
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        rows = await fetch_all(conn, SQL["list_topics"], parameters, TopicRow)
    return cursor.cut(rows, lambda last: [str(last.node_id)])


@dataclass(frozen=True)
class TopicName:
    """A reference to a topic: its id, or a name within an agent and a subject."""

    id: UUID | None = None
    name: str = ""
    agent: str = ""
    subject: str = ""


async def get_topic(
    database: Database,
    namespace: NamespaceScope,
    wanted: TopicName,
    at_least_as_fresh: str = "",
) -> TopicRow:
    """Return a topic page; a merged topic resolves to its successor. Raises TopicNotFound."""
    parameters: dict[str, Any] = {"namespace_id": namespace.id}
    if wanted.id:
        statement, parameters = SQL["find_topic"], {**parameters, "id": wanted.id}
    else:
        named = {"label_hash": label_hash(wanted.name), "agent": wanted.agent}
        statement = SQL["find_named"]
        parameters = {**parameters, **named, "subject": wanted.subject}
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await fetch_optional(conn, statement, parameters, TopicRow)
    if found is None:
        raise TopicNotFound(**({"topic_id": wanted.id} if wanted.id else {"name": wanted.name}))
    return found

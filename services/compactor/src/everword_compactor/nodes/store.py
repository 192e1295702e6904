"""Statements on nodes as typed functions: one for each in queries.sql."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.db.blocking import Connection, execute, fetch_all, fetch_optional, fetch_value
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword_compactor.compose.model import Faithfulness, Source, Voice, message_text
from everword_compactor.nodes.model import NewSummary, NodeNamespace, NodeRow
from everword_compactor.outcomes.result import parse_json
from everword_compactor.outcomes.sentence import Call

SQL = load_statements("everword_compactor.nodes")
#: Proto `Role`.
_TOOL = 4


@dataclass(frozen=True)
class MessageSource:
    """A message that a node can be made from."""

    id: UUID
    seq: int
    conversation_id: UUID
    agent: str
    channel: str
    role: int
    author: str
    instance: str
    content: str
    content_blocks: list[dict[str, str]] | None
    tool_name: str
    tool_args: str
    tool_result: str
    occurred_at: datetime
    protected: bool = False

    @property
    def source(self) -> Source:
        blocks = [block.get("text", "") for block in self.content_blocks or ()]
        words = "\n".join(part for part in (self.content, *blocks) if part)
        call = self._call(words)
        said = "" if self._answers_alone(words) else words
        return Source(
            id=self.id,
            level=0,
            text=message_text(said, call),
            earliest_at=self.occurred_at,
            latest_at=self.occurred_at,
            message_count=1,
            conversation_id=self.conversation_id,
            agent=self.agent,
            channel=self.channel,
            role=self.role,
            author=self.author,
            instance=self.instance,
            protected=self.protected,
            call=call,
            words=said if call else "",
        )

    def _call(self, words: str) -> Call | None:
        """Return the tool call; a message of a tool alone, in JSON, is its result."""
        if self._answers_alone(words):
            return Call(self.tool_name, "", words)
        if self.tool_name or self.tool_args or self.tool_result:
            return Call(self.tool_name, self.tool_args, self.tool_result)
        return None

    def _answers_alone(self, words: str) -> bool:
        bare = not self.tool_args and not self.tool_result
        return self.role == _TOOL and bare and parse_json(words) is not None


@dataclass(frozen=True)
class NodeSource:
    """A node that another one can be made from."""

    id: UUID
    level: int
    content: str
    conversation_id: UUID | None
    agent: str
    channel: str
    instance: str
    message_count: int
    earliest_at: datetime
    latest_at: datetime
    first_seq: int | None
    last_seq: int | None

    @property
    def source(self) -> Source:
        return Source(
            id=self.id,
            level=self.level,
            text=self.content,
            earliest_at=self.earliest_at,
            latest_at=self.latest_at,
            message_count=self.message_count,
            conversation_id=self.conversation_id,
            agent=self.agent,
            channel=self.channel,
            instance=self.instance,
        )


@dataclass(frozen=True)
class _VectorRow:
    source_id: UUID
    embedding: str


@statement(SQL)
def node_namespace(conn: Connection, namespace_id: int) -> NodeNamespace | None:
    """Return the namespace; None once it is being deleted."""


def get_voice(conn: Connection, namespace_id: int) -> Voice:
    """Return the voice of a namespace's nodes; an empty one if none was set."""
    parameters = {"namespace_id": namespace_id}
    return fetch_optional(conn, SQL["get_voice"], parameters, Voice) or Voice()


def insert_summary(conn: Connection, namespace_id: int, node: NewSummary) -> bool:
    """Store a node; False if one exists at its place."""
    place = node.place
    parameters = {
        **_written(namespace_id, node),
        "conversation_id": place.conversation_id,
        "first_seq": place.first_seq,
        "period": place.period,
        "agent": place.agent,
        "subject": place.subject,
        "channel": place.channel,
        "instance": place.instance,
        "name": place.name,
        "level": int(place.level),
    }
    return fetch_value(conn, SQL["insert_summary"], parameters) is not None


def revise_summary(conn: Connection, namespace_id: int, node: NewSummary, revision: int) -> bool:
    """Rewrite a node; False if it is no longer at `revision`."""
    parameters = {**_written(namespace_id, node), "revision": revision}
    return fetch_value(conn, SQL["revise_summary"], parameters) is not None


@statement(SQL)
def delete_summary_sources(conn: Connection, namespace_id: int, id: UUID) -> None: ...


def insert_summary_sources(conn: Connection, namespace_id: int, node: NewSummary) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "id": node.id,
        "axis": node.place.axis,
        "message_ids": [None if source.level else source.id for source in node.sources],
        "child_ids": [source.id if source.level else None for source in node.sources],
    }
    execute(conn, SQL["insert_summary_sources"], parameters)


def set_parent(conn: Connection, namespace_id: int, node: NewSummary) -> None:
    children = sorted(source.id for source in node.sources if source.level)
    if children:
        parameters = {"namespace_id": namespace_id, "id": node.id, "child_ids": children}
        execute(conn, SQL["set_parent"], parameters)


@statement(SQL)
def mark_stale(conn: Connection, namespace_id: int, id: UUID) -> None: ...


@statement(SQL)
def read_message_sources(
    conn: Connection, namespace_id: int, conversation_id: UUID, seqs: Sequence[int]
) -> list[MessageSource]: ...


@statement(SQL)
def read_source_messages(conn: Connection, namespace_id: int, id: UUID) -> list[MessageSource]:
    """Return the messages that a node was made from, in order."""


@statement(SQL)
def read_source_nodes(conn: Connection, namespace_id: int, id: UUID) -> list[NodeSource]: ...


@statement(SQL)
def read_node(conn: Connection, namespace_id: int, id: UUID) -> NodeRow | None: ...


def read_vectors(
    conn: Connection, namespace_id: int, source_ids: Sequence[UUID]
) -> dict[UUID, list[list[float]]]:
    """Return the vectors of the passages of each memory that has some."""
    generation = fetch_value(conn, SQL["active_generation"])
    if generation is None:
        return {}
    parameters = {"namespace_id": namespace_id, "source_ids": list(source_ids)}
    statement = SQL["read_vectors"].of_generation(generation)
    vectors: dict[UUID, list[list[float]]] = {}
    for row in fetch_all(conn, statement, parameters, _VectorRow):
        text = row.embedding.replace("{", "[").replace("}", "]")  # plain arrays have braces
        vectors.setdefault(row.source_id, []).append(json.loads(text))
    return vectors


def _written(namespace_id: int, node: NewSummary) -> dict[str, Any]:
    """Return the columns of a node's text and of its sources' summary values."""
    composition = node.composition
    return {
        "namespace_id": namespace_id,
        "id": node.id,
        "title": node.place.title,
        "last_seq": node.place.last_seq,
        "content": composition.content,
        "message_count": sum(source.message_count for source in node.sources),
        "earliest_at": min(source.earliest_at for source in node.sources),
        "latest_at": max(source.latest_at for source in node.sources),
        "token_count": composition.token_count,
        "model": composition.model,
        "prompt_version": composition.prompt_version,
        "needs_review": composition.needs_review,
        "faithfulness": _faithfulness(composition.faithfulness),
    }


def _faithfulness(found: Faithfulness) -> Jsonb:
    return Jsonb({**asdict(found)})


@statement(SQL)
def note_leaf(conn: Connection, namespace_id: int, id: UUID) -> None:
    """Enqueue the pages about the topics that a leaf names."""

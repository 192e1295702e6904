"""The statements that read the summary DAG as typed functions, one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_value, load_statements
from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import MemoryRecord, SummaryRecord, message_text
from everword_search.records.model import end_of_time
from everword_search.records.store import listed_metadata_chars, namespaced
from everword_search.summaries.model import SummaryFilter

SQL = load_statements("everword_search.summaries")


@dataclass(frozen=True)
class SummaryTreeRow(SummaryRecord):
    """A node; `below` counts the nodes or messages directly below it."""

    below: int


@dataclass(frozen=True)
class ChildRow(SummaryTreeRow):
    """A node below the node `above_id`."""

    above_id: UUID
    #: Position among the items below that node, from 1.
    ordinal: int


@dataclass(frozen=True)
class ListedNodeRow(SummaryRecord):
    """A node of a page; `available` counts the nodes that the page could have had."""

    available: int


@dataclass(frozen=True)
class SummarySourceRow:
    """A message below a node, with the beginning of each of its texts."""

    above_id: UUID
    #: Position among the items below the node, from 1.
    ordinal: int
    id: UUID
    conversation_id: UUID
    seq: int
    agent: str
    subject: str
    channel: str
    instance: str
    author: str
    role: int
    tags: list[str]
    importance_class: int
    automated: bool
    occurred_at: datetime
    use_count: int
    last_used_at: datetime | None
    content: str
    blocks: str | None
    tool_name: str
    tool_args: str
    tool_result: str
    synthesized_content: str
    external_id: str
    metadata: dict[str, Any] | None
    metadata_omitted: bool
    untrusted: bool
    conversation_name: str

    def memory(self, max_chars: int) -> MemoryRecord:
        """Return the message as a memory, with the first `max_chars` characters of its text."""
        blocks = [{"text": self.blocks}] if self.blocks else None
        text = message_text(self.content, blocks, self.tool_name, self.tool_args, self.tool_result)
        return MemoryRecord(
            id=self.id,
            kind=MemoryKind.MESSAGE,
            content=text[:max_chars],
            content_truncated=len(text) > max_chars,
            conversation_id=self.conversation_id,
            seq=self.seq,
            agent=self.agent,
            subject=self.subject,
            channel=self.channel,
            instance=self.instance,
            author=self.author,
            role=self.role,
            tags=self.tags,
            importance_class=self.importance_class,
            automated=self.automated,
            occurred_at=self.occurred_at,
            use_count=self.use_count,
            last_used_at=self.last_used_at,
            synthesized_content=self.synthesized_content,
            external_id=self.external_id,
            tool_name=self.tool_name,
            metadata=self.metadata,
            metadata_omitted=self.metadata_omitted,
            untrusted=self.untrusted,
            conversation_name=self.conversation_name,
        )


@dataclass(frozen=True)
class TopSummaryRow:
    """A topmost node of a conversation."""

    id: UUID
    #: Values equal proto `SummaryLevel`.
    level: int
    content: str
    latest_at: datetime
    #: Range of positions in the conversation.
    first_seq: int
    last_seq: int


@dataclass(frozen=True)
class LevelRow:
    """Counts of a level's summaries."""

    #: Values equal proto `SummaryLevel`.
    level: int
    summaries: int
    stale: int
    needs_review: int


@dataclass(frozen=True)
class SummaryBacklogRow:
    """Counts of messages, periods and tool calls that wait for summaries or sentences."""

    messages: int
    conversations: int
    periods: int
    oldest_period: date | None
    #: Sentences for tool calls.
    sentences: int
    failed_sentences: int


@dataclass(frozen=True)
class ReviewFlagRow:
    """Flags of a summary among results."""

    id: UUID
    #: True if it states something that its sources do not.
    needs_review: bool
    #: True if it covers a period of a day or more across conversations.
    is_of_period: bool


async def get_summaries(
    conn: Connection, namespace_id: int, ids: Sequence[UUID], max_chars: int | None = None
) -> list[SummaryTreeRow]:
    """Return the existing nodes in the order of `ids`; whole texts if `max_chars` is None."""
    parameters = {**namespaced(namespace_id), "ids": list(ids), "max_chars": max_chars}
    return await fetch_all(conn, SQL["get_summaries"], parameters, SummaryTreeRow)


async def find_named(conn: Connection, namespace_id: int, name: str) -> UUID | None:
    parameters = {**namespaced(namespace_id), "name": name}
    found: UUID | None = await fetch_value(conn, SQL["find_named"], parameters)
    return found


async def read_children(
    conn: Connection,
    namespace_id: int,
    ids: Sequence[UUID],
    after: int,
    maximum: int,
    limit: int,
    max_chars: int,
) -> list[ChildRow]:
    """Return the first `maximum` children of each node after the position `after`, at most `limit` in all.

    Contents are cut to `max_chars`.
    """
    parameters = {
        **namespaced(namespace_id),
        "ids": list(ids),
        "after": after,
        "most": maximum,
        "limit": limit,
        "max_chars": max_chars,
    }
    return await fetch_all(conn, SQL["read_children"], parameters, ChildRow)


async def read_sources(
    conn: Connection,
    namespace_id: int,
    ids: Sequence[UUID],
    after: int,
    maximum: int,
    limit: int,
    max_chars: int,
) -> list[SummarySourceRow]:
    """Return the first `maximum` messages below each node after a position, at most `limit` in all."""
    parameters = {
        **namespaced(namespace_id),
        "ids": list(ids),
        "after": after,
        "most": maximum,
        "limit": limit,
        "max_chars": max_chars,
        "max_metadata_chars": listed_metadata_chars(max_chars),
    }
    return await fetch_all(conn, SQL["read_sources"], parameters, SummarySourceRow)


async def read_review_flags(
    conn: Connection, namespace_id: int, ids: Sequence[UUID]
) -> dict[UUID, ReviewFlagRow]:
    """Return by id, for each summary that exists, whether it needs review and whether it covers a period."""
    parameters = {**namespaced(namespace_id), "ids": list(ids)}
    rows = await fetch_all(conn, SQL["read_review_flags"], parameters, ReviewFlagRow)
    return {row.id: row for row in rows}


async def list_summaries(
    conn: Connection,
    namespace_id: int,
    summary_filter: SummaryFilter,
    newest_first: bool,
    after: tuple[str, str] | None,
    limit: int,
    max_bytes: int,
    max_chars: int | None,
) -> list[ListedNodeRow]:
    """Return nodes after a position (time of the latest message, id) in the requested order."""
    statement = SQL["list_summaries_newest" if newest_first else "list_summaries_oldest"]
    after_latest_at, after_id = after or end_of_time(newest_first)
    parameters = {
        **namespaced(namespace_id),
        **asdict(summary_filter),
        "after_latest_at": after_latest_at,
        "after_id": after_id,
        "limit": limit,
        "max_bytes": max_bytes,
        "max_chars": max_chars,
    }
    return await fetch_all(conn, statement, parameters, ListedNodeRow)


async def summary_counts(conn: Connection, namespace_id: int, limit: int) -> list[LevelRow]:
    """Return the counts of each existing level, up to `limit` each."""
    parameters = {**namespaced(namespace_id), "limit": limit}
    return await fetch_all(conn, SQL["summary_counts"], parameters, LevelRow)


async def summary_backlog(conn: Connection, namespace_id: int, limit: int) -> SummaryBacklogRow:
    parameters = {**namespaced(namespace_id), "limit": limit}
    rows = await fetch_all(conn, SQL["summary_backlog"], parameters, SummaryBacklogRow)
    return rows[0]


async def top_summaries(
    conn: Connection, namespace_id: int, conversation_id: UUID, limit: int
) -> list[TopSummaryRow]:
    parameters = {
        **namespaced(namespace_id),
        "conversation_id": conversation_id,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["top_summaries"], parameters, TopSummaryRow)

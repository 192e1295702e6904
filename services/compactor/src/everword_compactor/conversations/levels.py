"""Branches and roots: summaries of summaries."""

from __future__ import annotations

from dataclasses import replace

from everword.db.blocking import Connection
from everword_compactor.compose.model import Level, Source, plain_line
from everword_compactor.conversations import store
from everword_compactor.conversations.model import LadderNode
from everword_compactor.conversations.plan import MOST, group_size
from everword_compactor.conversations.summarizer import ConversationSummarizer
from everword_compactor.nodes.store import read_source_messages


def raise_level(summarizer: ConversationSummarizer, level: Level) -> bool:
    """Make the nodes of a level that are due, from those below; returns whether there may be more."""
    return all(_raise_once(summarizer, level) for _ in summarizer.steps())


def _raise_once(summarizer: ConversationSummarizer, level: Level) -> bool:
    namespace_id = summarizer.namespace_id
    with summarizer.job.transaction() as conn:
        conversation = store.read_compacted(conn, namespace_id, summarizer.conversation_id)
        below = store.read_orphans(
            conn, namespace_id, summarizer.conversation_id, level - 1, MOST[level]
        )
        group = below[: group_size(level, len(below))]
        if conversation is None or not group:
            return False
        sources = [trusted_source(conn, namespace_id, node) for node in group]
    summarizer.write(conversation, level, sources, (group[0].first_seq, group[-1].last_seq))
    return True


def trusted_source(conn: Connection, namespace_id: int, node: LadderNode) -> Source:
    """Return a node as a source of the one above.

    If it has statements without support, its own sources are used instead, so that inventions do not spread.
    """
    source = Source(
        id=node.id,
        level=node.level,
        text=node.content,
        earliest_at=node.earliest_at,
        latest_at=node.latest_at,
        message_count=node.message_count,
        conversation_id=node.conversation_id,
        agent=node.agent,
        channel=node.channel,
        instance=node.instance,
    )
    if not node.needs_review:
        return source
    return replace(source, text="\n".join(_trusted_texts(conn, namespace_id, node)))


def _trusted_texts(conn: Connection, namespace_id: int, node: LadderNode) -> list[str]:
    if node.level > Level.LEAF:
        children = store.read_children(conn, namespace_id, node.id)
        return [trusted_source(conn, namespace_id, child).text for child in children]
    rows = read_source_messages(conn, namespace_id, node.id)
    return [plain_line(row.source) for row in rows]

"""The nodes that a compactor's worker made of a namespace, as its owner reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

#: Levels of nodes along a conversation, as `SummaryLevel` has them.
LEVELS = {1: "leaf", 2: "branch", 3: "root"}
Node = Mapping[str, Any]

_DUE = """
SELECT count(*) FROM jobs j JOIN namespaces n ON n.id = j.namespace_id
 WHERE n.name = %s AND j.task = 'compact'
   AND (j.state = 'running' OR j.state = 'pending' AND j.not_before <= now())
"""
_NODES = """
SELECT json_build_object(
           'level', s.level, 'title', s.title, 'conversation_id', s.conversation_id, 'agent', s.agent,
           'channel', s.channel, 'content', s.content, 'message_count', s.message_count,
           'needs_review', s.needs_review, 'sources', made_from.sources)
  FROM namespaces n
  JOIN summaries s ON s.namespace_id = n.id
 CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
               'id', coalesce(m.id, child.id), 'level', coalesce(child.level, 0),
               'text', coalesce(m.content, child.content),
               'earliest_at', coalesce(m.occurred_at, child.earliest_at),
               'latest_at', coalesce(m.occurred_at, child.latest_at),
               'message_count', coalesce(child.message_count, 1), 'conversation_id', s.conversation_id,
               'agent', s.agent, 'channel', s.channel, 'role', coalesce(m.role, 0), 'author', coalesce(m.author, ''),
               'instance', coalesce(m.instance, child.instance)) ORDER BY e.ordinal) AS sources
      FROM summary_sources e
      LEFT JOIN messages m ON m.namespace_id = e.namespace_id AND m.id = e.message_id
      LEFT JOIN summaries child ON child.namespace_id = e.namespace_id AND child.id = e.child_id
     WHERE e.namespace_id = s.namespace_id AND e.summary_id = s.id) AS made_from
 WHERE n.name = %s AND s.conversation_id IS NOT NULL
 ORDER BY s.level, s.id
"""


@dataclass(frozen=True)
class Nodes:
    """The nodes of a namespace, each with its text and its sources."""

    all: Sequence[Node]

    @property
    def messages(self) -> int:
        """The number of messages that are summed up."""
        return sum(node["message_count"] for node in self.all if node["level"] == 1)

    def details(self) -> dict[str, Any]:
        by_level = Counter(LEVELS[node["level"]] for node in self.all)
        review = sum(node["needs_review"] for node in self.all)
        return {"messages": self.messages, "nodes": dict(by_level), "needs_review": review}


def read_nodes(conn: psycopg.Connection, namespace: str) -> Nodes:
    return Nodes([node for (node,) in conn.execute(_NODES, [namespace])])


def due_jobs(conn: psycopg.Connection, namespace: str) -> int:
    """Return the number of conversations in compaction or due for it; those that wait for more messages are not due."""
    [due] = conn.execute(_DUE, [namespace]).fetchone() or (0,)
    return int(due)

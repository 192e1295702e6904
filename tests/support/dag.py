"""Invariants of every summary DAG."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from everword.domain.records import message_text
from everword_compactor.compose.model import EXTRACTIVE
from support.databases import DatabaseUnderTest

LEAF, BRANCH, ROOT, DAY = 1, 2, 3, 4
#: Level of records written on purpose: without sources or parents.
SIGNIFICANT = 8
#: Number of children of a node, by its level, in a conversation.
CHILDREN = {BRANCH: range(5, 9), ROOT: range(3, 6)}
LEAF_MESSAGES = 10


@dataclass(frozen=True)
class Node:
    """A stored node with its sources, as the owner of the database sees it."""

    row: dict[str, Any]
    #: Rows of messages, or ids of nodes, in order.
    messages: Sequence[dict[str, Any]]
    children: Sequence[UUID]

    def __getattr__(self, name: str) -> Any:
        return self.row[name]


@dataclass(frozen=True)
class Dag:
    """All nodes of a namespace, and all messages that they should cover."""

    nodes: dict[UUID, Node]
    messages: dict[UUID, dict[str, Any]]
    #: Sequence number up to which each conversation is summarised.
    summarised: dict[UUID, int]

    def of_level(self, *levels: int) -> list[Node]:
        return [node for node in self.nodes.values() if node.level in levels]

    def under(self, node: Node) -> list[dict[str, Any]]:
        """Return the messages under a node, at any depth."""
        below = [self.under(self.nodes[child]) for child in node.children]
        return [*node.messages, *(message for messages in below for message in messages)]

    def is_settled(self, node: Node) -> bool:
        """Return whether no source of the node has changed since it was written."""
        return not node.stale and all(self.is_settled(self.nodes[child]) for child in node.children)


def is_eligible(message: dict[str, Any]) -> bool:
    """Return whether a message should be under a leaf."""
    fields = ("content", "content_blocks", "tool_name", "tool_args", "tool_result")
    text = message_text(*(message[field] for field in fields))
    return not message["automated"] and bool(text.strip())


@contextmanager
def _at_one_moment(database: DatabaseUnderTest) -> Iterator[psycopg.Connection]:
    """Connect with one snapshot, unaffected by concurrent writes."""
    with database.connect() as conn, conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield conn


def read_dag(database: DatabaseUnderTest, namespace: str = "default") -> Dag:
    """Return the DAG of a namespace in one snapshot."""
    with _at_one_moment(database) as conn:
        return _read(conn, namespace)


def _read(conn: psycopg.Connection, namespace: str) -> Dag:
    with conn.cursor(row_factory=dict_row) as cursor:
        [of] = cursor.execute("SELECT id FROM namespaces WHERE name = %s", (namespace,))
        scope = (of["id"],)

        def rows(query: bytes) -> list[dict[str, Any]]:
            return cursor.execute(query, scope).fetchall()

        messages = {
            row["id"]: row for row in rows(b"SELECT * FROM messages WHERE namespace_id = %s")
        }
        sources = defaultdict(list)
        for link in rows(
            b"SELECT * FROM summary_sources WHERE namespace_id = %s ORDER BY summary_id, ordinal"
        ):
            sources[link["summary_id"]].append(link)
        nodes = {}
        for row in rows(b"SELECT * FROM summaries WHERE namespace_id = %s ORDER BY id"):
            links = sources[row["id"]]
            assert [link["ordinal"] for link in links] == list(range(1, len(links) + 1))
            nodes[row["id"]] = Node(
                row,
                [messages[link["message_id"]] for link in links if link["message_id"]],
                [link["child_id"] for link in links if link["child_id"]],
            )
        progress = rows(b"SELECT * FROM compaction_progress WHERE namespace_id = %s")
        return Dag(
            nodes, messages, {row["conversation_id"]: row["summarised_seq"] for row in progress}
        )


def check_dag(database: DatabaseUnderTest, namespace: str = "default", generation: int = 1) -> Dag:
    """Check that the DAG of a namespace is valid, and return it; `generation` is the active one."""
    with _at_one_moment(database) as conn:
        dag = _read(conn, namespace)
        _check_index(conn, namespace, generation, dag)
    for node in dag.nodes.values():
        if node.level == SIGNIFICANT:
            assert (node.messages, node.children, node.parent_id) == ([], [], None)
            continue
        _check_links(dag, node)
        _check_sums(dag, node)
        if node.level in {LEAF, BRANCH, ROOT}:
            _check_node_range(dag, node)
    _check_cover(dag)
    return dag


def _check_links(dag: Dag, node: Node) -> None:
    """Check that parents and children name each other, and that a message is under at most one node per axis."""
    of_messages = node.level in {LEAF, DAY}
    assert bool(node.messages) == of_messages
    assert bool(node.children) != of_messages
    for child in node.children:
        assert dag.nodes[child].parent_id == node.id
        assert dag.nodes[child].level == node.level - 1
    if node.parent_id:
        assert node.id in dag.nodes[node.parent_id].children
    if node.previous_id:
        previous = dag.nodes[node.previous_id]
        assert previous.created_at <= node.created_at
        assert previous.conversation_id == node.conversation_id


def _check_sums(dag: Dag, node: Node) -> None:
    """Check that count and span are those of the node's messages and children, unless it is due to be rewritten."""
    if not dag.is_settled(node):
        return
    messages = dag.under(node)
    assert node.message_count == len(messages)
    assert len({message["id"] for message in messages}) == len(messages)
    times: list[datetime] = [message["occurred_at"] for message in messages]
    assert (node.earliest_at, node.latest_at) == (min(times), max(times))
    children = [dag.nodes[child] for child in node.children]
    if children:
        assert node.message_count == sum(child.message_count for child in children)
        assert node.earliest_at == min(child.earliest_at for child in children)
        assert node.latest_at == max(child.latest_at for child in children)


def _check_node_range(dag: Dag, node: Node) -> None:
    """Check that a conversation's node covers a range of messages without gaps, and that its metadata matches them."""
    assert 1 <= node.first_seq <= node.last_seq <= dag.summarised[node.conversation_id]
    seqs = [message["seq"] for message in dag.under(node)]
    assert seqs == sorted(seqs)
    assert all(message["conversation_id"] == node.conversation_id for message in dag.under(node))
    expected = [
        message["seq"]
        for message in dag.messages.values()
        if node.first_seq <= message["seq"] <= node.last_seq
        if message["conversation_id"] == node.conversation_id and is_eligible(message)
    ]
    assert seqs == sorted(expected)
    children = [dag.nodes[child] for child in node.children]
    if not children:
        assert len(seqs) <= LEAF_MESSAGES
        return
    assert len(children) in CHILDREN[node.level]
    assert (children[0].first_seq, children[-1].last_seq) == (node.first_seq, node.last_seq)


def _check_cover(dag: Dag) -> None:
    """Check that each eligible message up to the summarised position is under exactly one leaf, and no other message
    is.
    """
    leaves: dict[UUID, int] = defaultdict(int)
    for leaf in dag.of_level(LEAF):
        for message in leaf.messages:
            leaves[message["id"]] += 1
    for id_, message in dag.messages.items():
        done = message["seq"] <= dag.summarised.get(message["conversation_id"], 0)
        assert leaves[id_] == (1 if done and is_eligible(message) else 0), message["seq"]
    for level in (LEAF, BRANCH, ROOT):
        places: dict[UUID, int] = defaultdict(int)
        for node in sorted(dag.of_level(level), key=lambda node: node.first_seq):
            assert node.first_seq > places[node.conversation_id]
            places[node.conversation_id] = node.last_seq


def _check_index(conn: psycopg.Connection, namespace: str, generation: int, dag: Dag) -> None:
    """Check that the index contains the current text of each node and nothing else of it.

    Vectors must exist or be pending for each passage in a model's words, and for the first passage of a quoting leaf.
    """
    id_row = conn.execute("SELECT id FROM namespaces WHERE name = %s", (namespace,)).fetchone()
    assert id_row
    known = {"id": id_row[0]}
    rows = conn.execute(
        f"""SELECT m.source_id, string_agg(m.content, '' ORDER BY m.part),
                  array_agg(EXISTS (SELECT 1 FROM embedding_queue q
                                     WHERE q.namespace_id = m.namespace_id AND q.memory_id = m.id)
                            OR EXISTS (SELECT 1 FROM memory_vectors_{generation:d} v
                                        WHERE v.namespace_id = m.namespace_id AND v.memory_id = m.id)
                            ORDER BY m.part)
             FROM memories m WHERE m.namespace_id = %(id)s AND m.kind = 2 GROUP BY m.source_id""".encode(),
        known,
    ).fetchall()
    counted = conn.execute(
        """SELECT (SELECT sum(passages) FROM corpus_counts WHERE namespace_id = %(id)s),
                  (SELECT count(*) FROM memories WHERE namespace_id = %(id)s)""",
        known,
    ).fetchone()
    indexed = {source_id: (text, vectors) for source_id, text, vectors in rows}
    assert indexed.keys() == dag.nodes.keys()
    for id_, (text, vectors) in indexed.items():
        assert "".join(text.split()) == "".join(dag.nodes[id_].content.split())
        assert vectors == _expected_vectors(dag.nodes[id_], len(vectors))
    assert counted
    assert (counted[0] or 0) == counted[1]


def _expected_vectors(node: Node, passages: int) -> list[bool]:
    """Return whether each passage of a node should have a vector."""
    if node.model != EXTRACTIVE:
        return [True] * passages
    return [node.level == LEAF] + [False] * (passages - 1)

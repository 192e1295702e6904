"""The statements about what changed, and about pages, as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.db.blocking import (
    Connection,
    execute,
    fetch_all,
    fetch_value,
    fetch_values,
)
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword.domain.ids import new_ids
from everword.text.lexemes import analyse
from everword_compactor.topics.model import (
    Change,
    DatedFact,
    Leaf,
    Node,
    Page,
    PageRow,
    TopicFactRow,
    TopicSourceRow,
)

SQL = load_statements("everword_compactor.topics")


@dataclass(frozen=True)
class _PageTimeRow:
    node_id: UUID
    made_at: datetime


@dataclass(frozen=True)
class _Node:
    node_id: UUID


@dataclass(frozen=True)
class _TakenSource:
    source_id: UUID
    kind: int


@statement(SQL)
def next_changes(
    conn: Connection, namespace_id: int, limit: int, *, of_nodes: bool
) -> list[Change]:
    """Return what changed: nodes, or facts and leaves."""


def has_changes(conn: Connection, namespace_id: int) -> bool:
    return bool(fetch_value(conn, SQL["has_changes"], {"namespace_id": namespace_id}))


@statement(SQL)
def delete_changes(conn: Connection, namespace_id: int, ids: Sequence[UUID]) -> None: ...


def changed_topics(conn: Connection, limit: int, parked_s: float) -> list[int]:
    """Return namespaces with changes for which no job is scheduled."""
    parameters = {"limit": limit, "parked_s": parked_s}
    return fetch_values(conn, SQL["changed_topics"], parameters)


@statement(SQL)
def facts_of(conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]) -> list[TopicFactRow]:
    """Return facts in the order of their subjects."""


@statement(SQL)
def read_leaves(
    conn: Connection, namespace_id: int, leaf_ids: Sequence[UUID], limit: int
) -> list[Leaf]:
    """Return leaves, the latest first."""


def find_leaves(
    conn: Connection, namespace_id: int, node: Node, config: str, limit: int
) -> list[Leaf]:
    """Return the latest leaves that have the words of a node's label."""
    parameters = {
        "namespace_id": namespace_id,
        "subject": node.subject,
        "agent": node.agent,
        "label": analyse(node.label, config).phrase,
        "limit": limit,
    }
    return fetch_all(conn, SQL["find_leaves"], parameters, Leaf)


def find_nodes(
    conn: Connection, namespace_id: int, label_hashes: Sequence[bytes], agent: str, subject: str
) -> list[UUID]:
    parameters = {
        "namespace_id": namespace_id,
        "label_hashes": list(label_hashes),
        "agent": agent,
        "subject": subject,
    }
    return [row.node_id for row in fetch_all(conn, SQL["find_nodes"], parameters, _Node)]


def link_sources(
    conn: Connection, namespace_id: int, links: Sequence[tuple[UUID, UUID, int]]
) -> None:
    """Store which sources are about which nodes; each link is a node, a source and its kind."""
    unique = sorted(set(links))
    parameters = {
        "namespace_id": namespace_id,
        "node_ids": [node_id for node_id, _, _ in unique],
        "source_ids": [source_id for _, source_id, _ in unique],
        "kinds": [kind for _, _, kind in unique],
    }
    execute(conn, SQL["link_sources"], parameters)


def unlink_source(
    conn: Connection, namespace_id: int, source_id: UUID, node_ids: Sequence[UUID]
) -> None:
    """Unlink a source from all nodes except these, and enqueue the nodes that lost it."""
    parameters = {
        "namespace_id": namespace_id,
        "source_id": source_id,
        "node_ids": list(node_ids),
    }
    if lost := fetch_values(conn, SQL["unlink_source"], parameters):
        enqueue_nodes(conn, namespace_id, lost)


@statement(SQL)
def read_nodes(conn: Connection, namespace_id: int, node_ids: Sequence[UUID]) -> list[Node]: ...


@statement(SQL)
def read_sources(
    conn: Connection, namespace_id: int, node_id: UUID, limit: int
) -> list[TopicSourceRow]: ...


def move_sources(conn: Connection, namespace_id: int, node_id: UUID, into_id: UUID) -> None:
    """Move the sources of one node to another, and enqueue that."""
    if taken := take_sources(conn, namespace_id, node_id):
        links = [(into_id, each.source_id, each.kind) for each in taken]
        link_sources(conn, namespace_id, links)
    enqueue_nodes(conn, namespace_id, [into_id])


@statement(SQL)
def take_sources(conn: Connection, namespace_id: int, node_id: UUID) -> list[_TakenSource]: ...


def enqueue_nodes(conn: Connection, namespace_id: int, node_ids: Sequence[UUID]) -> None:
    """Enqueue nodes, so that their pages are updated."""
    unique = sorted(set(node_ids))
    parameters = {"namespace_id": namespace_id, "ids": new_ids(len(unique)), "node_ids": unique}
    execute(conn, SQL["enqueue_nodes"], parameters)


@statement(SQL)
def read_dated_facts(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[DatedFact]:
    """Return facts with their validity: current ones first, the latest first."""


@statement(SQL)
def read_page(conn: Connection, namespace_id: int, node_id: UUID) -> PageRow | None: ...


def pages_made_at(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID]
) -> dict[UUID, datetime]:
    """Return when the pages of nodes were written, of those that have one."""
    parameters = {"namespace_id": namespace_id, "node_ids": list(node_ids)}
    rows = fetch_all(conn, SQL["pages_made_at"], parameters, _PageTimeRow)
    return {row.node_id: row.made_at for row in rows}


def replace_page(
    conn: Connection, namespace_id: int, node: Node, page: Page, id_: UUID, revision: int
) -> bool:
    """Store a node's page; False if another worker wrote it after `revision` was read.

    A first page gets the id `id_`; a later one keeps the id of the first.
    """
    parameters = {
        "namespace_id": namespace_id,
        "node_id": node.id,
        "id": id_,
        "agent": node.agent,
        "subject": node.subject,
        "title": node.label,
        "type": node.type,
        "content": page.content,
        "sections": Jsonb([each.to_json() for each in page.sections]),
        "source_ids": [source_id for source_id, _ in page.cited],
        "source_kinds": [kind for _, kind in page.cited],
        "model": page.model,
        "revision": revision,
        "made_at": node.read_at,
    }
    return fetch_value(conn, SQL["replace_page"], parameters) is not None


@statement(SQL)
def latest_source(
    conn: Connection, namespace_id: int, source_ids: Sequence[UUID]
) -> datetime | None:
    """Return when the latest of some sources was said."""


@statement(SQL)
def delete_page(conn: Connection, namespace_id: int, node_id: UUID) -> None: ...

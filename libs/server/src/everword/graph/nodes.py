"""Nodes as they are written: found by their names or made, held, and kept in the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.memory_kinds import MemoryKind
from everword.domain.not_found import NodeNotFound
from everword.graph import store
from everword.graph.graph_text import node_text
from everword.graph.labels import Anchor, find_anchor, label_hash, label_key
from everword.graph.model import (
    DEFAULT_CONFIDENCE,
    GraphScope,
    NewGraphNode,
    NodeKey,
    NodeReference,
)
from everword.graph.rows import LockedNode, NodeNameRow, NodeVersionRow
from everword.graph.store import End
from everword.index import passages as index
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedPassage
from everword.index.writer import Counts, Validity, add_passages, close_passages, vectors_job
from everword.jobs.enqueue import enqueue


@dataclass(frozen=True)
class RequiredNode:
    """A node to write: its key and its properties."""

    key: NodeKey
    node: NewGraphNode
    anchor: Anchor | None = None


def required_node(node: NewGraphNode, scope: GraphScope) -> RequiredNode:
    """Return the identity of a node. `me` is the agent and `user` the subject, regardless of the given type."""
    anchor = find_anchor(node.label)
    if anchor is None:
        return RequiredNode(NodeKey.of(node.label, node.type, scope), node)
    which, type_ = anchor
    own = GraphScope(scope.agent, "") if which is Anchor.ME else GraphScope("", scope.subject)
    plain = replace(node, label=label_key(node.label), type=type_)
    return RequiredNode(NodeKey.of(node.label, type_, own), plain, which)


async def ensure_nodes(
    conn: Connection, namespace_id: int, wanted: Sequence[RequiredNode]
) -> tuple[dict[NodeKey, UUID], set[UUID]]:
    """Return the nodes of these keys, and which of them are new: made here, and without a version yet."""
    unique = {each.key: each for each in wanted}
    if not unique:
        return {}, set()
    names = [(key, new_id()) for key in sorted(unique)]
    claimed = await store.claim_names(conn, namespace_id, names)
    if claimed:
        rows = [(row.node_id, row.key, unique[row.key].anchor) for row in claimed]
        await store.insert_nodes(conn, namespace_id, rows)
    hashes = sorted({key.label_hash for key in unique})
    found = await store.find_names(conn, namespace_id, hashes)
    ids = {row.key: row.node_id for row in found if row.key in unique}
    return ids, {row.node_id for row in claimed}


async def find_references(
    conn: Connection, namespace_id: int, references: Sequence[NodeReference], scope: GraphScope
) -> dict[NodeReference, UUID]:
    """Return the nodes that references mean, in the nearest scope that has one.

    Raises NodeNotFound, and InvalidArgument if several nodes have the label.
    """
    hashes = sorted({label_hash(each.label) for each in references if each.id is None})
    rows = await store.find_names(conn, namespace_id, hashes) if hashes else []
    found: dict[NodeReference, UUID] = {}
    for each in references:
        found[each] = each.id or _nearest(each, rows, scope)
    return found


def _nearest(reference: NodeReference, rows: Sequence[NodeNameRow], scope: GraphScope) -> UUID:
    hash_ = label_hash(reference.label)
    for around in scope.widening:
        ids = {
            row.node_id
            for row in rows
            if row.label_hash == hash_
            and row.key.scope == around
            and reference.type in ("", row.type)
        }
        if len(ids) > 1:
            text = f"several nodes are called {reference.label}: say the type, or the id"
            raise InvalidArgument(violations=(("edges", text),))
        if ids:
            return ids.pop()
    raise NodeNotFound(label=reference.label)


async def lock_current_nodes(
    conn: Connection, namespace_id: int, ids: Sequence[UUID]
) -> dict[UUID, LockedNode]:
    """Lock nodes, and those they were merged into; return them by the requested ids. Raises NodeNotFound."""
    held: dict[UUID, LockedNode | None] = {}
    requested = set(ids)
    while requested:
        rows = await store.lock_nodes(conn, namespace_id, list(requested))
        # The node that it was merged into may have been erased since.
        held |= {id_: rows.get(id_) for id_ in requested}
        requested = {node.merged_into for node in rows.values() if node.merged_into} - held.keys()
    found: dict[UUID, LockedNode] = {}
    for id_ in ids:
        node = held[id_]
        while node and node.merged_into:
            node = held[node.merged_into]
        if node is None:
            raise NodeNotFound(node_id=id_)
        found[id_] = node
    return found


def merged_version(
    known: NodeVersionRow | None, node_id: UUID, said: Sequence[NewGraphNode], source: int
) -> NodeVersionRow:
    """Return the version of a node with new properties: missing ones are filled in."""
    first = said[0]
    base = known or NodeVersionRow(
        new_id(), node_id, first.label, first.type, "", [], _confidence(first), source
    )
    descriptions = [each.description for each in said if each.description]
    confidences = [each.confidence for each in said if each.confidence is not None]
    return replace(
        base,
        description=base.description or (descriptions[0] if descriptions else ""),
        confidence=max([base.confidence, *confidences]) if known else base.confidence,
    )


def _confidence(node: NewGraphNode) -> float:
    return DEFAULT_CONFIDENCE if node.confidence is None else node.confidence


async def store_node_versions(
    conn: Connection,
    namespace_id: int,
    settings: NamespaceSettings,
    nodes: Mapping[UUID, LockedNode],
    versions: Sequence[tuple[NodeVersionRow | None, NodeVersionRow]],
    end: End,
) -> None:
    """Store new versions of nodes, each in the place of the one before, and index them."""
    if not versions:
        return
    gone = [before.id for before, _ in versions if before is not None]
    come = [replace(after, id=new_id(), source=end.source) for _, after in versions]
    if gone:
        await store.end_versions(conn, namespace_id, gone, end)
        await close_passages(conn, namespace_id, gone, known_until=end.now)
    await store.insert_versions(conn, namespace_id, come, end.now, end.reason)
    await store.enqueue_nodes(conn, namespace_id, [each.node_id for each in come])
    await _index(conn, namespace_id, settings, nodes, come, end.now)


async def _index(
    conn: Connection,
    namespace_id: int,
    settings: NamespaceSettings,
    nodes: Mapping[UUID, LockedNode],
    versions: Sequence[NodeVersionRow],
    now: datetime,
) -> None:
    """Index versions as memories. Rows of jobs are locked in one order by all writers."""
    shards = {vectors_job(namespace_id, each.id) for each in versions}
    await enqueue(conn, sorted(shards, key=lambda job: job.subject))
    language = Language(settings.text_search_config, settings.time_zone)
    passages = list[IndexedPassage]()
    for each in versions:
        node = nodes[each.node_id]
        text = node_text(each.label, each.type, each.description, each.aliases)
        source = index.IndexedSource(
            each.id, MemoryKind.NODE, now, agent=node.agent, subject=node.subject
        )
        passages += build_passages(source, text, language)
    limits = Validity(known_from=now)
    pending = await add_passages(conn, namespace_id, passages, Counts(), limits)
    await pending.rows()

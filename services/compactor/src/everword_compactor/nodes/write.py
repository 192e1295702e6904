"""Store a node with its sources, its place and its passages: one transaction, or nothing.

Every function here runs inside the transaction of `NamespaceJob.record`, which ends by asserting the lease.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from everword.db.blocking import Connection
from everword.domain.memory_kinds import MemoryKind
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedSource
from everword.index.writer import replace_passages_blocking
from everword_compactor.compose.model import Level, Source
from everword_compactor.nodes import store
from everword_compactor.nodes.model import NewSummary, NodeNamespace


class NodeExists(Exception):
    """Another worker stored or revised the node first; this result is discarded."""


def insert_node(conn: Connection, namespace: NodeNamespace, node: NewSummary) -> None:
    """Store a new node. Raises NodeExists if one exists at its place."""
    if not store.insert_summary(conn, namespace.id, node):
        raise NodeExists
    _link_and_index(conn, namespace, node)


def revise_node(
    conn: Connection, namespace: NodeNamespace, node: NewSummary, revision: int
) -> None:
    """Rewrite a node that was read at `revision`; the node above becomes stale.

    Raises NodeExists if it has changed since.
    """
    if not store.revise_summary(conn, namespace.id, node, revision):
        raise NodeExists
    store.delete_summary_sources(conn, namespace.id, node.id)
    store.mark_stale(conn, namespace.id, node.id)
    _link_and_index(conn, namespace, node)


def with_vectors(conn: Connection, namespace_id: int, sources: Sequence[Source]) -> list[Source]:
    """Return the sources with the vectors of their passages, if they have any."""
    vectors = store.read_vectors(conn, namespace_id, sorted(source.id for source in sources))
    return [replace(source, vectors=vectors.get(source.id, ())) for source in sources]


def _link_and_index(conn: Connection, namespace: NodeNamespace, node: NewSummary) -> None:
    store.insert_summary_sources(conn, namespace.id, node)
    store.set_parent(conn, namespace.id, node)
    language = Language(namespace.text_search_config, namespace.time_zone)
    # A summary of a kept-out channel is for its conversation alone: it is not indexed, and no page is made of it.
    is_published = node.place.level.of_calendar or namespace.channels.summarizes(node.place.channel)
    passages = []
    if is_published:
        passages = list(build_passages(_source(node), node.composition.content, language))
    replace_passages_blocking(conn, namespace.id, [node.id], passages)
    if node.place.level is Level.LEAF and is_published:
        store.note_leaf(conn, namespace.id, node.id)


def _source(node: NewSummary) -> IndexedSource:
    place = node.place
    return IndexedSource(
        node.id,
        MemoryKind.SUMMARY,
        max(source.latest_at for source in node.sources),
        conversation_id=place.conversation_id,
        agent=place.agent,
        subject=place.subject,
        channel=place.channel,
        instance=place.instance,
    )

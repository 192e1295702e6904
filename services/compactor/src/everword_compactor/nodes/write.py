"""Store a node with its sources, its place and its passages: one transaction, or nothing.

Every function here runs inside the caller's transaction, which must end with `hold`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID
from zoneinfo import ZoneInfo

from opentelemetry import propagate

from everword.db.blocking import Connection
from everword.domain.times import local_time
from everword.jobs.store import StartedJob, hold_job
from everword.jobs.task import LeaseLost
from everword.text.analysis import indexed_text
from everword.text.literals import literals_of
from everword.text.passages import split_passages
from everword.text.ranking_record import message_traits, pack_record
from everword_compactor.compose.model import Source
from everword_compactor.nodes import store
from everword_compactor.nodes.model import NewNode, NodeNamespace

#: As many as ingest spreads a namespace's embedding jobs over.
EMBED_SHARDS = 8


class NodeExists(Exception):
    """Somebody else stored or revised the node first; what was written here does not count."""


def insert_node(conn: Connection, namespace: NodeNamespace, node: NewNode) -> None:
    """Store a new node. Raises NodeExists where there is one at its place."""
    if not store.insert_summary(conn, namespace.id, node):
        raise NodeExists
    _link_and_index(conn, namespace, node)


def revise_node(conn: Connection, namespace: NodeNamespace, node: NewNode, revision: int) -> None:
    """Write a node anew that was read at `revision`; the node above becomes stale.

    Raises NodeExists where it has changed since.
    """
    if not store.revise_summary(conn, namespace.id, node, revision):
        raise NodeExists
    store.delete_summary_sources(conn, namespace.id, node.id)
    store.drop_summary_passages(conn, namespace.id, node.id)
    store.mark_stale(conn, namespace.id, node.id)
    _link_and_index(conn, namespace, node)


def hold(conn: Connection, job: StartedJob) -> None:
    """End a transaction that stores a job's result. Raises LeaseLost where the job is somebody else's by now.

    It comes last: writes of messages lock a conversation before its job, and so must this.
    """
    if not hold_job(conn, job):
        raise LeaseLost


def with_vectors(conn: Connection, namespace_id: int, sources: Sequence[Source]) -> list[Source]:
    """Return the sources with the vectors of their passages, where there are some."""
    vectors = store.read_vectors(conn, namespace_id, sorted(source.id for source in sources))
    return [replace(source, vectors=vectors.get(source.id, ())) for source in sources]


def _link_and_index(conn: Connection, namespace: NodeNamespace, node: NewNode) -> None:
    store.insert_summary_sources(conn, namespace.id, node)
    store.set_parent(conn, namespace.id, node)
    store.insert_summary_passages(conn, _passages(namespace, node))
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    store.upsert_embed_job(conn, namespace.id, _shard(node.id), carrier)


def _shard(id_: UUID) -> str:
    return f"shard-{id_.int % EMBED_SHARDS}"


def _passages(namespace: NodeNamespace, node: NewNode) -> dict[str, object]:
    """Return the arrays that `insert_summary_passages` takes: one element a passage."""
    place, content = node.place, node.composition.content
    occurred_at = max(source.latest_at for source in node.sources)
    local = local_time(occurred_at, ZoneInfo(namespace.time_zone))
    traits = message_traits(content)
    passages = split_passages(content)
    return {
        "namespace_id": namespace.id,
        "id": node.id,
        "conversation_id": place.conversation_id,
        "agent": place.agent,
        "subject": place.subject,
        "channel": place.channel,
        "instance": place.instance,
        "occurred_at": occurred_at,
        "part": list(range(len(passages))),
        "content": passages,
        "indexed_text": [indexed_text(passage, "", local) for passage in passages],
        "literals": [literals_of(passage) for passage in passages],
        "ranking": [
            pack_record(passage, traits, namespace.text_search_config) for passage in passages
        ],
        "text_search_config": namespace.text_search_config,
    }

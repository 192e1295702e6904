"""Look at nodes of which something changed: write their pages again, or take them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from everword.chat.errors import ChatError
from everword.db.blocking import Connection
from everword.domain.ids import new_id
from everword.domain.memory_kinds import MemoryKind
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedSource
from everword.index.writer import replace_passages_blocking
from everword.text.credentials import mask_credentials
from everword_compactor.jobs.namespace_job import NamespaceJob
from everword_compactor.jobs.questions import Questioner
from everword_compactor.nodes.model import NodeNamespace
from everword_compactor.topics import store
from everword_compactor.topics.links import names_occur
from everword_compactor.topics.model import (
    FACT,
    LEAF,
    LEAST_CHARS,
    LEAST_SOURCES,
    Node,
    Page,
    PageRow,
    TopicMaterial,
)
from everword_compactor.topics.page import write_page
from everword_compactor.topics.prose import current_sections, write_sections

#: Sources of a page that are looked at, the latest first, and leaves of these that are read.
_MOST_SOURCES, MOST_LEAVES = 400, 40


class PageChanged(Exception):
    """Somebody else wrote the page meanwhile: this one does not count, and is tried again."""


def compile_page(job: NamespaceJob, node_id: UUID, change_ids: Sequence[UUID]) -> None:
    """Update the page of a node, and delete the changes that caused it. Raises LeaseLost."""
    with job.transaction() as conn:
        [node] = store.read_nodes(conn, job.namespace_id, [node_id])
        page = store.read_page(conn, job.namespace_id, node_id)
        material = _read_material(conn, job, node, page)
    written = _write(job, material, page) if material else None

    def put(conn: Connection) -> None:
        if node.merged_into is not None:
            store.move_sources(conn, job.namespace_id, node.id, node.merged_into)
        if written is not None:
            _write_page(conn, job.namespace, node, written, page)
        elif page is not None:
            store.delete_page(conn, job.namespace_id, node.id)
            replace_passages_blocking(conn, job.namespace_id, [page.id], [])
        store.delete_changes(conn, job.namespace_id, change_ids)

    job.record(put)


def _read_material(
    conn: Connection, job: NamespaceJob, node: Node, page: PageRow | None
) -> TopicMaterial | None:
    """Read the facts and summaries for a topic page; None if the node gets no page.

    For a node without a page, this also links earlier summaries that mention the node.
    """
    if node.anchor or node.merged_into or not node.label:
        return None
    namespace_id = job.namespace_id
    rows = store.read_sources(conn, namespace_id, node.id, _MOST_SOURCES)
    told = store.read_dated_facts(
        conn, namespace_id, [row.source_id for row in rows if row.kind == FACT]
    )
    leaf_ids = [row.source_id for row in rows if row.kind == LEAF]
    leaves = store.read_leaves(conn, namespace_id, leaf_ids, MOST_LEAVES)
    if page is None:
        known = set(leaf_ids)
        config = job.namespace.text_search_config
        earlier = store.find_leaves(conn, namespace_id, node, config, MOST_LEAVES)
        # The words of a label may occur in another order or form.
        earlier = [
            leaf
            for leaf in earlier
            if leaf.id not in known
            and len(leaf.content) >= LEAST_CHARS
            and names_occur(leaf.content, node.names)
        ]
        if earlier:
            links = [(node.id, leaf.id, LEAF) for leaf in earlier]
            store.link_sources(conn, namespace_id, links)
            leaves = sorted([*leaves, *earlier], key=lambda leaf: leaf.latest_at, reverse=True)
    if len({each.id for each in told}) + len(leaves) < LEAST_SOURCES:
        return None
    changed_at = {row.source_id: row.changed_at for row in rows}
    return TopicMaterial(node, told, leaves[:MOST_LEAVES], changed_at, job.namespace.time_zone)


def _write(job: NamespaceJob, material: TopicMaterial, page: PageRow | None) -> Page:
    """Return the page of a topic; without new sections if the model gives no usable answer."""
    chat, retained = job.worker_context.chat, current_sections(material, page)
    if chat is None:
        return write_page(material, retained, page.model if page else "")
    try:
        asking = Questioner(chat, job.run.heartbeat, masks=job.namespace.masks_credentials)
        sections = write_sections(asking, material, retained)
    except ChatError:
        sections = retained
    return write_page(material, sections, chat.model)


def _write_page(
    conn: Connection, namespace: NodeNamespace, node: Node, page: Page, before: PageRow | None
) -> None:
    if namespace.masks_credentials:
        page = _masked(page)
    if before is not None and (before.content, before.model) == (page.content, page.model):
        return
    id_ = before.id if before else new_id()
    if not store.replace_page(
        conn, namespace.id, node, page, id_, before.revision if before else 0
    ):
        raise PageChanged
    language = Language(namespace.text_search_config, namespace.time_zone)
    latest = store.latest_source(conn, namespace.id, [source_id for source_id, _ in page.cited])
    said_at = latest or node.read_at
    source = IndexedSource(id_, MemoryKind.TOPIC, said_at, agent=node.agent, subject=node.subject)
    passages = list(build_passages(source, page.content, language))
    replace_passages_blocking(conn, namespace.id, [id_], passages)


def _masked(page: Page) -> Page:
    """Return a page without credentials, in sections that a model wrote before, too."""
    sections = [
        replace(each, heading=mask_credentials(each.heading), text=mask_credentials(each.text))
        for each in page.sections
    ]
    return replace(page, content=mask_credentials(page.content), sections=sections)

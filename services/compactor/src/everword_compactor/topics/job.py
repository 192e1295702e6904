"""Process changes: write the relations of facts, link facts and leaves to topics, and write pages.

Changes are rows of a table, which are deleted after processing: after an interruption, the next run repeats the work,
which is idempotent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID

from everword.db.blocking import Connection
from everword.db.namespaces import get_namespace_settings
from everword.facts.model import FactState
from everword.jobs.enqueue import TOPICS
from everword.jobs.task import JobRun
from everword_compactor.jobs.async_database import open_database
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.namespace_job import NamespaceJob, open_job
from everword_compactor.topics import store
from everword_compactor.topics.compile_page import compile_page
from everword_compactor.topics.fact_relations import relate_facts, scope_of
from everword_compactor.topics.links import hashes_of_fact, hashes_of_text
from everword_compactor.topics.model import FACT, LEAF, LEAST_CHARS, Change, Leaf, TopicFactRow
from everword_compactor.topics.schedule import schedule_changes

#: Facts and leaves that are looked at together, and nodes.
BATCH, NODES = 100, 200
#: A page that a model writes is not written again more often.
MODEL_PAUSE = timedelta(minutes=10)


class Topics:
    """Looks at what changed in namespaces."""

    def __init__(self, worker_context: WorkerContext) -> None:
        self._worker_context = worker_context

    def run(self, run: JobRun) -> datetime | None:
        """Look at all that changed, until others wait; returns when there will be more."""
        with open_job(self._worker_context, run) as job:
            if job is None:
                return None
            while self._link_batch(job):
                if run.other_namespaces_wait():
                    return self._worker_context.now()
            return self._compile(job)

    def _link_batch(self, job: NamespaceJob) -> bool:
        """Process facts and leaves; False if there are none. Raises LeaseLost."""
        with job.transaction() as conn:
            changes = store.next_changes(conn, job.namespace_id, BATCH, of_nodes=False)
            fact_ids = sorted({each.fact_id for each in changes if each.fact_id})
            leaf_ids = sorted({each.leaf_id for each in changes if each.leaf_id})
            facts = store.facts_of(conn, job.namespace_id, fact_ids)
            leaves = store.read_leaves(conn, job.namespace_id, leaf_ids, BATCH)
        if not changes:
            return False
        by_subject = [
            [fact.id for fact in own] for _, own in groupby(facts, key=lambda fact: fact.subject)
        ]
        asyncio.run(self._relate(job, by_subject))

        def link(conn: Connection) -> None:
            _link(conn, job.namespace_id, facts, leaves, set(leaf_ids))
            store.delete_changes(conn, job.namespace_id, [each.id for each in changes])

        job.record(link)
        return True

    async def _relate(self, job: NamespaceJob, by_subject: Sequence[Sequence[UUID]]) -> None:
        """Write the relations of facts, a transaction for each subject: locks are taken in one order."""
        if not by_subject:
            return
        async with open_database(self._worker_context.database.settings) as database:
            for fact_ids in by_subject:
                async with database.transaction(job.namespace_id) as conn:
                    settings = await get_namespace_settings(conn, job.namespace_id)
                    await relate_facts(conn, job.namespace_id, settings, fact_ids)
                job.run.heartbeat()

    def _compile(self, job: NamespaceJob) -> datetime | None:
        """Bring the pages of nodes up to date; returns when those will be due that wait. Raises LeaseLost."""
        while True:
            with job.transaction() as conn:
                changes = store.next_changes(conn, job.namespace_id, NODES, of_nodes=True)
                due = self._due_pages(job, conn, changes)
            if not due:
                return self._worker_context.now() + MODEL_PAUSE if changes else None
            for node_id in due:
                own = [each.id for each in changes if each.node_id == node_id]
                compile_page(job, node_id, own)
                if job.run.other_namespaces_wait():
                    return self._worker_context.now()

    def _due_pages(
        self, job: NamespaceJob, conn: Connection, changes: Sequence[Change]
    ) -> list[UUID]:
        """Return nodes whose pages are to be written now: where a model writes them, not all that often."""
        node_ids = list(dict.fromkeys(each.node_id for each in changes if each.node_id))
        if self._worker_context.chat is None:
            return node_ids
        made_at = store.pages_made_at(conn, job.namespace_id, node_ids)
        latest = self._worker_context.now() - MODEL_PAUSE
        return [id_ for id_ in node_ids if id_ not in made_at or made_at[id_] <= latest]


def _link(
    conn: Connection,
    namespace_id: int,
    facts: Sequence[TopicFactRow],
    leaves: Sequence[Leaf],
    leaf_ids: set[UUID],
) -> None:
    """Store which nodes facts and leaves are about."""
    links = list[tuple[UUID, UUID, int]]()
    for fact in facts:
        hashes = hashes_of_fact(fact.attribute, fact.value)
        is_wrong = fact.hypothesis or fact.state == FactState.REJECTED
        subject = scope_of(fact.subject).subject
        found = [] if is_wrong else store.find_nodes(conn, namespace_id, hashes, "", subject)
        store.unlink_source(conn, namespace_id, fact.id, found)
        links += [(node_id, fact.id, FACT) for node_id in found]
    for leaf in leaves:
        is_long = len(leaf.content) >= LEAST_CHARS
        hashes = hashes_of_text(leaf.content) if is_long else []
        found = store.find_nodes(conn, namespace_id, hashes, leaf.agent, leaf.subject)
        store.unlink_source(conn, namespace_id, leaf.id, found)
        links += [(node_id, leaf.id, LEAF) for node_id in found]
    for gone in sorted(leaf_ids - {leaf.id for leaf in leaves}):
        store.unlink_source(conn, namespace_id, gone, [])
    if links:
        store.link_sources(conn, namespace_id, links)
        store.enqueue_nodes(conn, namespace_id, [node_id for node_id, _, _ in links])


def with_topics(
    worker_context: WorkerContext, learn: Callable[[JobRun], datetime | None]
) -> Callable[[JobRun], datetime | None]:
    """Return the function for jobs of `learn`; those of a conversation also schedule the processing of
    their changes.
    """
    topics = Topics(worker_context)

    def run(job: JobRun) -> datetime | None:
        if job.job.subject == TOPICS:
            return topics.run(job)
        more = learn(job)
        if more is None:
            schedule_changes(worker_context.database, job.job.namespace_id)
        return more

    return run

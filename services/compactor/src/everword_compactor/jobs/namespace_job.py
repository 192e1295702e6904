"""A step of a task: it reads, composes outside of any transaction, and records the result in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from everword.chat.errors import ChatBudgetSpent
from everword.db.blocking import Connection
from everword.jobs.store import StartedJob, lock_job
from everword.jobs.task import JobRun, LeaseLost
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import (
    BUDGET_TOKENS,
    Composer,
    Composition,
    Draft,
    Source,
    Voice,
    masked,
    plain_line,
    without_orders,
)
from everword_compactor.compose.names import with_names
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.nodes.model import NodeNamespace
from everword_compactor.nodes.store import get_voice, node_namespace
from everword_compactor.nodes.write import with_vectors


@dataclass(frozen=True)
class NamespaceJob:
    """A job at work in its namespace."""

    worker_context: WorkerContext
    run: JobRun
    namespace: NodeNamespace
    voice: Voice

    @property
    def namespace_id(self) -> int:
        return self.namespace.id

    def transaction(self) -> AbstractContextManager[Connection]:
        """Open a transaction of the namespace. It must be short: nothing is composed in one."""
        return self.worker_context.database.transaction(self.namespace_id)

    def prepare(self, sources: Sequence[Source]) -> Sequence[Source]:
        """Return sources with their vectors and the names of people, without untrusted orders, and without credentials
        if these are masked.
        """
        with self.transaction() as conn:
            sources = with_vectors(conn, self.namespace_id, sources)
        sources = without_orders(sources, self.namespace.trust, self.run.heartbeat)
        if self.namespace.masks_credentials:
            sources = masked(sources, self.run.heartbeat)
        return with_names(sources, self.voice, self.run.heartbeat)

    def compose(
        self, draft: Draft, composer: Composer | None = None, *, is_new: bool = False
    ) -> Composition:
        """Write the text of a node from prepared sources, by the worker's composer or another one.

        If the model's budget is spent, a node that `is_new` is made of sentences of its sources: they cost nothing,
        contexts stay complete, and such nodes are rewritten once the model may be asked again. Raises
        everword.chat.errors.ChatError.
        """
        composer = composer or self.worker_context.composer
        try:
            composition = composer.compose(draft, self.run.heartbeat)
        except ChatBudgetSpent:
            if not is_new:
                raise
            composition = ExtractiveComposer().compose(draft, self.run.heartbeat)
        if composition.content.strip():
            return composition
        # Emoji alone, of which no sentence can be chosen.
        plain = "\n".join(map(plain_line, draft.sources))
        return replace(composition, content=plain[: BUDGET_TOKENS[draft.level]])

    def record(self, write: Callable[[Connection], None], *, is_progress: bool = True) -> None:
        """Store the result of a step in a transaction that commits only while the job is this worker's.

        Raises LeaseLost if another worker owns the job; then nothing is stored. Unless `is_progress` is False, later
        failures count as those of another step.
        """
        with self.transaction() as conn:
            write(conn)
            assert_lease(conn, self.run.job)
        if is_progress:
            self.run.checkpoint()


def assert_lease(conn: Connection, job: StartedJob) -> None:
    """End a transaction that stores a job's result. Raises LeaseLost if another worker owns the job.

    It comes last: writes of messages lock a conversation before its job, and so must this.
    """
    if not lock_job(conn, job):
        raise LeaseLost


@contextmanager
def open_job(worker_context: WorkerContext, run: JobRun) -> Iterator[NamespaceJob | None]:
    """Yield the job in its namespace, which is charged for model calls; None if the namespace is deleted."""
    namespace_id = run.job.namespace_id
    with worker_context.database.transaction(namespace_id) as conn:
        namespace = node_namespace(conn, namespace_id)
        voice = get_voice(conn, namespace_id)
    if namespace is None:
        yield None
        return
    with worker_context.ledger.of_namespace(namespace_id, _conversation_of(run)):
        yield NamespaceJob(worker_context, run, namespace, voice)


def _conversation_of(run: JobRun) -> UUID | None:
    """Return the conversation of a job; None if it has none."""
    try:
        return UUID(run.job.subject)
    except ValueError:
        return None

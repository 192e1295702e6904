"""Report the state of a namespace's memory, problems first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope, Role
from everword.domain.failures import public_error
from everword.internal.v1.embedder_service_pb2 import DescribeModelResponse
from everword_search.records.freshness import fresh_transaction
from everword_search.retrieval.query.query_embedder import QueryEmbedder
from everword_search.stats import store
from everword_search.stats.store import BacklogRow, CorpusRow, TaskRow
from everword_search.summaries import store as summaries
from everword_search.summaries.store import LevelRow, SummaryBacklogRow

#: Maximum number of pending items that are counted exactly.
COUNT_LIMIT = 100_000
#: Ranges of ids sampled to estimate a larger number; together they cover `COUNT_LIMIT` ids.
SAMPLES = 1000
#: Pending work older than this raises an alert.
LATE = timedelta(minutes=10)
#: The highest `SummaryLevel` within a conversation.
ROOT = 3


@dataclass(frozen=True)
class Alert:
    """A problem that needs attention."""

    critical: bool
    text: str


@dataclass(frozen=True)
class Stats:
    """The state of a namespace's memory."""

    alerts: list[Alert]
    corpus: CorpusRow
    backlog: BacklogRow
    #: Share of passages that have a vector, from 0 to 1.
    coverage: float
    tasks: list[TaskRow]
    #: One row per existing level.
    levels: list[LevelRow]
    waiting: SummaryBacklogRow
    #: The embedder's description of the active model; empty if it does not answer.
    described: DescribeModelResponse

    @property
    def depth(self) -> int:
        """Number of summary levels in the deepest conversation of the namespace; 0 without summaries."""
        return max((level.level for level in self.levels if level.level <= ROOT), default=0)


async def get_stats(
    database: Database,
    embedder: QueryEmbedder,
    namespace: NamespaceScope,
    role: Role,
    at_least_as_fresh: str = "",
) -> Stats:
    """Return the state of a namespace's memory; `role` determines how much of error messages is shown."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        corpus = await store.corpus_counts(conn, namespace.id)
        active = await _embedding_backlog(conn, namespace.id)
        counted = await store.job_counts(conn, namespace.id)
        levels = await summaries.summary_counts(conn, namespace.id, COUNT_LIMIT)
        waiting = await summaries.summary_backlog(conn, namespace.id, COUNT_LIMIT)
    tasks = [replace(task, sample_error=public_error(task.sample_error, role)) for task in counted]
    # Without an active generation no passage has a searchable vector.
    backlog = active or BacklogRow("", corpus.passages, 0, None)
    coverage = 1 - backlog.pending / corpus.passages if corpus.passages else 1.0
    found = [*_alerts(backlog, tasks), *_summary_alerts(levels, waiting)]
    alerts = sorted(found, key=lambda alert: not alert.critical)
    described = await embedder.describe_model()
    if described.HasField("server"):
        described.server.error = public_error(described.server.error, role)
    return Stats(alerts, corpus, backlog, max(0.0, coverage), tasks, levels, waiting, described)


async def _embedding_backlog(conn: Connection, namespace_id: int) -> BacklogRow | None:
    """Return the passages without a vector, counted up to a limit and estimated above it."""
    backlog = await store.embedding_backlog(conn, namespace_id, COUNT_LIMIT)
    if backlog is None or backlog.pending < COUNT_LIMIT:
        return backlog
    estimate = await store.estimate_pending(conn, namespace_id, SAMPLES, COUNT_LIMIT // SAMPLES)
    return replace(backlog, pending=max(backlog.pending, estimate))


def _alerts(backlog: BacklogRow, tasks: Sequence[TaskRow]) -> Iterator[Alert]:
    for task in tasks:
        yield from _task_alerts(task)
    if backlog.failed:
        yield Alert(
            False,
            f"{backlog.failed} passage(s) have no vector: they contain no words, or the embedding model rejected them. "
            "Full-text search still finds them. MaintenanceService.GetQueueStatus lists them; after repairing a cause, "
            "call Backfill.",
        )
    if backlog.oldest_pending and backlog.oldest_pending > LATE:
        yield Alert(
            False,
            f"Passages have waited for their vectors for {_minutes(backlog.oldest_pending)} minutes; full-text search "
            "finds them meanwhile. Check that the embedding model and its workers run, or start more.",
        )


def _task_alerts(task: TaskRow) -> Iterator[Alert]:
    if task.failed:
        error = task.sample_error or "no error"
        yield Alert(
            True,
            f"{task.failed} job(s) of the task {task.task} failed, the latest with: {error}. Remove the cause, "
            "then call MaintenanceService.RetryJobs.",
        )
    if task.oldest_pending and task.oldest_pending > LATE:
        yield Alert(
            False,
            f"Jobs of the task {task.task} have waited for {_minutes(task.oldest_pending)} minutes. Check that "
            "its workers run, or start more.",
        )


def _summary_alerts(levels: Sequence[LevelRow], waiting: SummaryBacklogRow) -> Iterator[Alert]:
    in_review = sum(level.needs_review for level in levels)
    if in_review:
        yield Alert(
            False,
            f"{in_review} summaries contain statements that their sources do not support; contexts and answers omit "
            "them. `everword audit summaries` lists these statements.",
        )
    if waiting.failed_sentences:
        yield Alert(
            False,
            f"{waiting.failed_sentences} tool call(s) could not be described. See MaintenanceService.GetQueueStatus; "
            "after repairing the cause, call Backfill.",
        )


def _minutes(waited: timedelta) -> int:
    return int(waited.total_seconds() // 60)

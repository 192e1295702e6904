"""The task `roll-up`: sums up one period of the calendar."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from everword.db.blocking import Connection
from everword.domain.periods import Period, parse_job_subject
from everword.jobs.task import JobRun, PermanentFailure
from everword_compactor.calendar import store
from everword_compactor.calendar.summarizer import PeriodSummarizer
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.failures import Failures
from everword_compactor.jobs.namespace_job import open_job


class RollUp:
    """Makes the nodes of a subject's periods: one for each instance of a day, and one for a longer period."""

    def __init__(self, worker_context: WorkerContext) -> None:
        self._worker_context = worker_context

    def run(self, run: JobRun) -> datetime | None:
        """Write the pending nodes of the period, and its outdated ones.

        An instance that fails does not hold up the others; a failure is raised at the end, and the failed part stays
        pending. If another namespace waits, the rest is left to a later run. Raises everword.chat.errors.ChatError, and
        NodeExists if another worker wrote a node meanwhile.
        """
        namespace_id = run.job.namespace_id
        try:
            period, digest = parse_job_subject(run.job.subject)
        except ValueError as error:
            raise PermanentFailure(str(error)) from error
        failures = Failures()
        with open_job(self._worker_context, run) as job:
            if job is None:
                return None
            with job.transaction() as conn:
                if digest:
                    period = _with_subject(conn, namespace_id, period, digest)
                pending = store.pending_instances(conn, namespace_id, period)
                nodes = store.read_period(conn, namespace_id, period)
            summarizer = PeriodSummarizer(job, period)
            outdated = [node.instance for node in nodes if summarizer.is_outdated(node)]
            left = sorted({*pending, *outdated})
            while left:
                with failures.kept():
                    summarizer.sum_up(left.pop(0))
                    # Only after one that did not fail: else the next run would begin, and end, with the same.
                    if run.other_namespaces_wait():
                        break
        failures.raise_any()
        return self._worker_context.now() if left else None


def _with_subject(conn: Connection, namespace_id: int, period: Period, digest: str) -> Period:
    """Return the period in the calendar of a subject; without one if nothing of the subject is left."""
    subject = store.find_subject(conn, namespace_id, period.level, period.start, digest)
    return replace(period, subject=subject or "")

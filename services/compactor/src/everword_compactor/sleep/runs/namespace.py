"""Sleep over a namespace: the closing steps, the night, and whole runs that are stored at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from uuid import UUID

from everword.domain.periods import Calendar, Period, PeriodLevel, last_night
from everword.jobs.enqueue import SLEEP, DueJob, enqueue_blocking
from everword_compactor.jobs.failures import Failures
from everword_compactor.jobs.namespace_job import NamespaceJob
from everword_compactor.sleep import storage, store
from everword_compactor.sleep.load_inputs import load_closing
from everword_compactor.sleep.runs import apply_writes
from everword_compactor.sleep.runs.conversation import RUN
from everword_compactor.sleep.runs.run_stages import close, is_session_failure, tools_of
from everword_compactor.sleep.runs.whole_run import run_full_sleep
from everword_compactor.sleep.work import ClosingStage, PendingWrite, SessionStage, SleepTransaction

#: Conversations that a night wakes at once.
BATCH = 1_000


def sleep_namespace(
    job: NamespaceJob,
    session_stages: Sequence[SessionStage],
    closing_stages: Sequence[ClosingStage],
) -> datetime | None:
    """Run the closing steps for every due subject; returns the time of further work.

    During the day this yields to other namespaces. A night runs to its end, because open disputes would come first in
    each turn.
    """
    calendar = Calendar(job.namespace.time_zone, job.namespace.day_cutoff_minutes)
    now = job.worker_context.now()
    night = last_night(calendar, now)
    with job.transaction() as conn:
        known = store.read_night(conn, job.namespace_id)
        # The first time is no night: nothing has been going on since the last one.
        at_night = known is not None and known < night
    failures = Failures()
    if job.namespace.sleep_atomicity == RUN:
        run_full_sleep(job, session_stages, closing_stages, failures, at_night)
    else:
        if at_night:
            _wake_conversations(job)
        with job.transaction() as conn:
            subjects = store.closing_subjects(conn, job.namespace_id, at_night, now)
        for subject in subjects:
            closed = _close(job, subject, closing_stages, failures)
            if closed and not at_night and job.run.other_namespaces_wait():
                failures.raise_any()
                return now
    failures.raise_any()
    if known is None or at_night:
        settings = job.worker_context.database.settings
        apply_writes.apply(settings, job.run.job, [_mark_night(night)])
    return next_night(calendar, night)


def next_night(calendar: Calendar, night: date) -> datetime | None:
    """Return when the Sleep of the night after is due."""
    if night >= date.max - timedelta(days=2):
        return None
    return calendar.due_at(Period(PeriodLevel.DAY, night + timedelta(days=1)))


def _close(
    job: NamespaceJob, subject: str, stages: Sequence[ClosingStage], failures: Failures
) -> bool:
    """Run the closing steps of one subject, in one transaction; False on a failure, which does not hold up others."""
    try:
        tools = tools_of(job)
        with job.transaction() as conn:
            zone = job.namespace.time_zone
            work = load_closing(conn, job.namespace_id, subject, tools.now, zone)
        work = close(tools, work, stages)
        settings = job.worker_context.database.settings
        apply_writes.apply(settings, job.run.job, apply_writes.closing_writes(work))
    except Exception as error:  # a stage or a model may fail in any way
        if not is_session_failure(job, error):
            raise
        with failures.kept():
            raise
        return False
    job.run.checkpoint()
    return True


def _wake_conversations(job: NamespaceJob) -> None:
    """End sessions with the day, even without a pause."""
    for ids in _batches(job):
        with job.transaction() as conn:
            store.request_sleep(conn, job.namespace_id, ids)
            due = [DueJob(job.namespace_id, SLEEP, str(id_)) for id_ in sorted(ids)]
            enqueue_blocking(conn, due)


def _batches(job: NamespaceJob) -> Iterator[list[UUID]]:
    while True:
        with job.transaction() as conn:
            ids = store.resting_conversations(conn, job.namespace_id, BATCH)
        if ids:
            yield ids
        if len(ids) < BATCH:
            return


def _mark_night(night: date) -> PendingWrite:
    async def mark(to: SleepTransaction) -> None:
        await storage.record_night(to.conn, to.namespace_id, night)

    return PendingWrite("mark-night", mark)

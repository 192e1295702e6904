"""A run that is stored at once: all finished sessions of a namespace and the closing steps, or nothing of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

from everword_compactor.jobs.failures import Failures
from everword_compactor.jobs.namespace_job import NamespaceJob
from everword_compactor.sleep import store
from everword_compactor.sleep.load_inputs import load, load_closing, subjects_of, with_spellings
from everword_compactor.sleep.model import Profile
from everword_compactor.sleep.runs import apply_writes
from everword_compactor.sleep.runs.conversation import DueSession, next_finished, unread_sessions
from everword_compactor.sleep.runs.run_stages import (
    close,
    describe,
    digest,
    is_session_failure,
    tools_of,
)
from everword_compactor.sleep.work import ClosingStage, PendingWrite, SessionStage, StageTools

log = logging.getLogger(__name__)
_PAGE = 500


def run_full_sleep(
    job: NamespaceJob,
    session_stages: Sequence[SessionStage],
    closing_stages: Sequence[ClosingStage],
    failures: Failures,
    at_night: bool,
) -> None:
    """Learn from all finished sessions, close what earlier ones left open, and store all of that in one transaction.

    A session sees what those before it said, though nothing is stored yet. One that fails is parked with the run.
    """
    tools = tools_of(job)
    pending = _PendingWrites(job, tools, session_stages, failures)
    with job.transaction() as conn:
        subjects = store.closing_subjects(conn, job.namespace_id, at_night, tools.now)
        zone = job.namespace.time_zone
        works = [load_closing(conn, job.namespace_id, each, tools.now, zone) for each in subjects]
    for finished in all_finished(job):
        pending.add(finished)
    writes = list(pending.writes)
    for work in works:
        writes += apply_writes.closing_writes(close(tools, work, closing_stages))
    if writes:
        apply_writes.apply(job.worker_context.database.settings, job.run.job, writes)
        job.run.checkpoint()


class _PendingWrites:
    """The unstored writes of sessions, and the profile as it will be after them."""

    def __init__(
        self,
        job: NamespaceJob,
        tools: StageTools,
        stages: Sequence[SessionStage],
        failures: Failures,
    ) -> None:
        self._job, self._tools, self._stages, self._failures = job, tools, stages, failures
        self._profiles: dict[tuple[str, ...], Profile] = {}
        self.writes: list[PendingWrite] = []

    def add(self, finished: DueSession) -> None:
        session, after = finished.session, finished.after
        if not session.said:
            self.writes += apply_writes.skip(session, after)
            return
        try:
            with self._job.transaction() as conn:
                id_, zone = self._job.namespace_id, self._job.namespace.time_zone
                session = with_spellings(conn, id_, session)
                subjects = subjects_of(session)
                loaded = load(conn, id_, subjects, self._tools.now, zone)
            known = self._profiles.get(tuple(subjects))
            loaded = loaded.with_profile(known) if known else loaded
            work = digest(self._tools, session, loaded, self._stages)
        except Exception as error:  # a stage or a model may fail in any way
            if not is_session_failure(self._job, error):
                raise
            log.warning("session parked", exc_info=error, extra={"session_id": str(session.id)})
            with self._failures.kept():
                raise
            self.writes += apply_writes.park(session, describe(error), after)
            return
        self._profiles[tuple(subjects)] = work.loaded.profile
        model = self._tools.asking.model if self._tools.asking else ""
        self.writes += apply_writes.session_writes(work, model, after)


def all_finished(job: NamespaceJob) -> list[DueSession]:
    """Return the finished sessions of every conversation by time; those of one stay in its order."""
    timed: list[tuple[datetime, DueSession]] = []
    for conversation_id in _conversations(job):
        latest = datetime.min.replace(tzinfo=UTC)
        for each in _finished(job, conversation_id):
            latest = max(latest, each.session.started_at)
            timed.append((latest, each))
    return [each for _, each in sorted(timed, key=lambda pair: pair[0])]


def _finished(job: NamespaceJob, conversation_id: UUID) -> Iterator[DueSession]:
    yield from unread_sessions(job, conversation_id)
    progress: int | None = None
    while True:
        found, _ = next_finished(job, conversation_id, progress)
        yield from found
        if not found:
            return
        progress = found[-1].session.last_seq


def _conversations(job: NamespaceJob) -> Iterator[UUID]:
    after = UUID(int=0)
    while True:
        with job.transaction() as conn:
            page = store.sleep_backlog(conn, job.namespace_id, after, _PAGE)
            waiting = [each.id for each in page if each.is_waiting]
        yield from waiting
        if len(page) < _PAGE:
            return
        after = page[-1].id

"""Sleep over one conversation: each finished session in a transaction of its own."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.domain.ids import new_id
from everword.jobs.enqueue import SLEEP, SLEEP_NAMESPACE, DueJob, enqueue_blocking
from everword_compactor.jobs.failures import Failures
from everword_compactor.jobs.namespace_job import NamespaceJob
from everword_compactor.sleep import store
from everword_compactor.sleep.load_inputs import load, make_session, subjects_of, with_spellings
from everword_compactor.sleep.model import SleepSession
from everword_compactor.sleep.runs import apply_writes
from everword_compactor.sleep.runs.run_stages import describe, digest, is_session_failure, tools_of
from everword_compactor.sleep.runs.sessions import IDLE, MessageRun, cut_sessions
from everword_compactor.sleep.store import SleepProgress
from everword_compactor.sleep.work import SessionStage

log = logging.getLogger(__name__)
#: Messages that are read at once: more than a session has.
BATCH = 500
#: Values equal proto `SleepAtomicity`.
SESSION, RUN = 1, 2


@dataclass(frozen=True)
class DueSession:
    """A due session, and the position before it in its conversation; None for a session that was stored before."""

    session: SleepSession
    after: int | None


def sleep_conversation(
    job: NamespaceJob, conversation_id: UUID, stages: Sequence[SessionStage]
) -> datetime | None:
    """Learn from the finished sessions of a conversation; returns the time of further work.

    A session that fails is parked, and later ones continue; the job fails with its error in the end, so that the
    failure is visible and retried with the job.
    """
    if job.namespace.sleep_atomicity == RUN:
        _schedule_namespace_sleep(job)
        return None
    failures = Failures()
    for unread in unread_sessions(job, conversation_id):
        _do(job, unread, stages, failures)
        if job.run.other_namespaces_wait():
            failures.raise_any()
            return job.worker_context.now()
    while True:
        finished, again_at = next_finished(job, conversation_id)
        for each in finished:
            _do(job, each, stages, failures)
            if job.run.other_namespaces_wait():
                failures.raise_any()
                return job.worker_context.now()
        if not finished:
            failures.raise_any()
            return again_at


def unread_sessions(job: NamespaceJob, conversation_id: UUID) -> Iterator[DueSession]:
    """Yield the sessions of a conversation that failed before, or that are to be read again."""
    with job.transaction() as conn:
        conversation = store.read_sleep_progress(conn, job.namespace_id, conversation_id)
        unread = store.list_unread(conn, job.namespace_id, conversation_id)
    if conversation is None:
        return
    for each in unread:
        with job.transaction() as conn:
            messages = store.read_messages(
                conn, job.namespace_id, conversation_id, each.first_seq - 1, each.last_seq, BATCH
            )
        if messages:
            yield DueSession(make_session(each.id, conversation, messages, job.namespace), None)


def next_finished(
    job: NamespaceJob, conversation_id: UUID, slept_seq: int | None = None
) -> tuple[list[DueSession], datetime | None]:
    """Return the next finished sessions of a conversation, and the time at which the unfinished one may be.

    `slept_seq` is the caller's progress, if that is not stored yet.
    """
    with job.transaction() as conn:
        conversation = store.read_sleep_progress(conn, job.namespace_id, conversation_id)
        if conversation is None:
            return [], None
        after = conversation.slept_seq if slept_seq is None else slept_seq
        messages = store.read_messages(
            conn, job.namespace_id, conversation_id, after, conversation.last_seq, BATCH
        )
    now = job.worker_context.now()
    runs = list(
        cut_sessions(messages, conversation.wanted_seq, now, has_more=len(messages) == BATCH)
    )
    return _finished(job, conversation, runs, after), _again_at(runs)


def _finished(
    job: NamespaceJob, conversation: SleepProgress, runs: Sequence[MessageRun], after: int
) -> list[DueSession]:
    found = []
    for run in runs:
        if run.is_finished:
            session = make_session(new_id(), conversation, run.messages, job.namespace)
            found.append(DueSession(session, after))
            after = session.last_seq
    return found


def _again_at(runs: Sequence[MessageRun]) -> datetime | None:
    if not runs or runs[-1].is_finished:
        return None
    return max(message.recorded_at for message in runs[-1].messages) + IDLE


def _do(
    job: NamespaceJob, finished: DueSession, stages: Sequence[SessionStage], failures: Failures
) -> None:
    """Learn from one session, or put it aside. Raises LeaseLost, and what concerns every session."""
    session, after = finished.session, finished.after
    settings, started = job.worker_context.database.settings, job.run.job
    if not session.said:
        apply_writes.apply(settings, started, apply_writes.skip(session, after))
        job.run.checkpoint()
        return
    try:
        tools = tools_of(job)
        with job.transaction() as conn:
            session = with_spellings(conn, job.namespace_id, session)
            zone = job.namespace.time_zone
            loaded = load(conn, job.namespace_id, subjects_of(session), tools.now, zone)
        work = digest(tools, session, loaded, stages)
        model = tools.asking.model if tools.asking else ""
        apply_writes.apply(settings, started, apply_writes.session_writes(work, model, after))
    except Exception as error:  # a stage or a model may fail in any way
        if not is_session_failure(job, error):
            raise
        log.warning("session parked", exc_info=error, extra={"session_id": str(session.id)})
        with failures.kept():
            apply_writes.apply(
                settings, started, apply_writes.park(session, describe(error), after)
            )
            raise
        return
    job.run.checkpoint()


def _schedule_namespace_sleep(job: NamespaceJob) -> None:
    with job.transaction() as conn:
        enqueue_blocking(conn, [DueJob(job.namespace_id, SLEEP, SLEEP_NAMESPACE)])

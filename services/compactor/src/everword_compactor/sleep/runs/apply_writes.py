"""Stores the results of Sleep in one transaction, which commits only while the job is this worker's.

Step 14, marking sessions as done, comes last in it. A worker that lost the job, or comes second, changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from everword.db.namespaces import get_namespace_settings
from everword.db.settings import DatabaseSettings
from everword.db.statements import fetch_value
from everword.facts.store import lock_keys
from everword.jobs.enqueue import SLEEP, SLEEP_NAMESPACE, DueJob, enqueue
from everword.jobs.store import SQL as JOBS
from everword.jobs.store import StartedJob
from everword.jobs.task import LeaseLost
from everword_compactor.jobs.async_database import open_database
from everword_compactor.sleep import storage
from everword_compactor.sleep.model import ASSISTANT_ROLE, SleepSession
from everword_compactor.sleep.storage import SessionState
from everword_compactor.sleep.work import ClosingWork, PendingWrite, SessionWork, SleepTransaction


def apply(settings: DatabaseSettings, job: StartedJob, writes: Sequence[PendingWrite]) -> None:
    """Store writes, all or none. Raises LeaseLost if another worker owns the job, or moved its conversation."""
    asyncio.run(_apply(settings, job, writes))


async def _apply(
    settings: DatabaseSettings, job: StartedJob, writes: Sequence[PendingWrite]
) -> None:
    namespace_id = job.namespace_id
    keys = list({key for write in writes for key in write.keys})
    async with open_database(settings) as database, database.transaction(namespace_id) as conn:
        namespace = await get_namespace_settings(conn, namespace_id)
        now = None
        # Attributes are locked in one order by all writers, and rows of jobs after them.
        if keys:
            now = await lock_keys(conn, namespace_id, keys)
            await storage.lock_vector_jobs(conn, namespace_id)
        now = now or await storage.read_moment(conn)
        stored = SleepTransaction(conn, namespace_id, namespace, now)
        for write in writes:
            await write.run(stored)
        if await fetch_value(conn, JOBS["lock_job"], job.lease_parameters) is None:
            raise LeaseLost


def session_writes(work: SessionWork, model: str, after: int | None) -> list[PendingWrite]:
    """Return the writes of a session, with those that mark it: first its row, last how far its conversation came.

    `after` is the place that the conversation is moved on from; None for a session that was stored before.
    """
    session = work.session
    subject = _closing_subject(session)

    async def begin(to: SleepTransaction) -> None:
        stored = await storage.insert_session(
            to.conn,
            to.namespace_id,
            session,
            SessionState.STORED,
            subject=subject,
            topics=work.topics,
            model=model,
            error="; ".join(work.failures) or None,
        )
        if not stored:
            raise LeaseLost

    async def observe(to: SleepTransaction) -> None:
        if after is None:
            await storage.delete_observations(to.conn, to.namespace_id, session.id)
        for each in work.observations:
            await storage.insert_observation(to.conn, to.namespace_id, session.id, each)

    async def close_later(to: SleepTransaction) -> None:
        await enqueue(to.conn, [DueJob(to.namespace_id, SLEEP, SLEEP_NAMESPACE)])

    marks = [PendingWrite("insert-session", begin), PendingWrite("insert-observations", observe)]
    ends = [] if after is None else [_advance(session, after)]
    return [*marks, *work.writes, *ends, PendingWrite("close-later", close_later)]


def park(session: SleepSession, error: str, after: int | None) -> list[PendingWrite]:
    """Return the writes that park a session, so that later ones can continue."""
    return _park_session(session, SessionState.PARKED, error, after)


def skip(session: SleepSession, after: int | None) -> list[PendingWrite]:
    """Return the writes for a session without words of people."""
    return _park_session(session, SessionState.SKIPPED, None, after)


def closing_writes(work: ClosingWork) -> list[PendingWrite]:
    """Return the writes of the closing steps for a subject; the last one marks its sessions."""

    async def finish(to: SleepTransaction) -> None:
        ids = [session.id for session in work.sessions]
        error = "; ".join(work.failures) or None
        await storage.finish_sessions(to.conn, to.namespace_id, ids, to.now, error)

    return [*work.writes, PendingWrite("finish-sessions", finish)]


def _park_session(
    session: SleepSession, state: SessionState, error: str | None, after: int | None
) -> list[PendingWrite]:
    async def insert(to: SleepTransaction) -> None:
        await storage.insert_session(to.conn, to.namespace_id, session, state, error=error)

    ends = [] if after is None else [_advance(session, after)]
    return [PendingWrite("insert-session", insert), *ends]


def _advance(session: SleepSession, after: int) -> PendingWrite:
    async def advance(to: SleepTransaction) -> None:
        id_, through = session.conversation.id, session.last_seq
        if not await storage.advance_sleep_progress(to.conn, to.namespace_id, id_, after, through):
            raise LeaseLost

    return PendingWrite("advance", advance)


def _closing_subject(session: SleepSession) -> str:
    """Return the subject of the closing steps: the most talkative one of several."""
    said = session.said or [m for m in session.messages if m.role != ASSISTANT_ROLE]
    subjects = [session.subject_of(message) for message in said]
    return max(subjects, key=subjects.count) if subjects else session.conversation.subject

"""Request Sleep now, and report its progress."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ConversationNotFound
from everword.jobs.enqueue import SLEEP_NAMESPACE
from everword_compactor.sleep.rpc import requests
from everword_compactor.sleep.rpc.requests import JobCounts, SessionCounts, SleepScope
from everword_compactor.sleep.rpc.reread import request_rereading
from everword_compactor.sleep.storage import read_moment

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 1.0
#: Longest time without a message to the caller.
SILENCE_S = 10.0
#: Conversations in one transaction, and those whose jobs are looked at one by one.
BATCH = 1_000


@dataclass(frozen=True)
class Progress:
    """How far Sleep has come since it was asked for."""

    done: bool
    conversations: int
    jobs: JobCounts
    sessions: SessionCounts
    left_out: Sequence[str]


async def sleep(
    database: Database,
    namespace: NamespaceScope,
    scope: SleepScope,
    model: str,
) -> AsyncIterator[Progress]:
    """Make everything due that waits, and yield how it goes until nothing is open.

    `model` is the workers' language model; empty if none is configured. Raises ConversationNotFound, and
    ChatNotConfigured if sessions are to be read again without a model.
    """
    async with database.transaction(namespace.id) as conn:
        since = await read_moment(conn)
    if scope.again:
        await request_rereading(database, namespace, scope, model)
    woken = await _wake(database, namespace.id, scope.conversation_id, scope.subject)
    watched = [str(id_) for id_ in woken] if len(woken) <= BATCH else None
    left_out = () if model else _left_out()
    said: Progress | None = None
    silent = 0.0
    pause = FIRST_PAUSE_S
    closing = False
    while True:
        now = await _read_progress(database, namespace.id, watched, since)
        progress = replace(now, conversations=len(woken), left_out=left_out)
        if progress.jobs.pending == 0 and not closing:
            # Run the closing steps of these sessions, and other due closing steps.
            closing = True
            async with database.transaction(namespace.id) as conn:
                await requests.wake(conn, namespace.id, [SLEEP_NAMESPACE])
            watched = None if watched is None else [*watched, SLEEP_NAMESPACE]
            continue
        if closing and progress.jobs.pending == 0:
            yield replace(progress, done=True)
            return
        if progress != said or silent >= SILENCE_S:
            yield progress
            said, silent = progress, 0.0
        await asyncio.sleep(pause)
        silent += pause
        pause = min(pause * 1.5, LONGEST_PAUSE_S)


async def _wake(
    database: Database, namespace_id: int, conversation_id: UUID | None, subject: str
) -> list[UUID]:
    """Make the conversations due in which something waits; return them."""
    if conversation_id is not None:
        async with database.transaction(namespace_id) as conn:
            if not await requests.conversation_exists(conn, namespace_id, conversation_id):
                raise ConversationNotFound(conversation_id=conversation_id)
            await requests.request_sleep(conn, namespace_id, [conversation_id])
        return [conversation_id]
    woken: list[UUID] = []
    after = UUID(int=0)
    while True:
        async with database.transaction(namespace_id) as conn:
            page = await requests.page_conversations(conn, namespace_id, subject, after, BATCH)
            waiting = [each.id for each in page if each.is_waiting]
            if waiting:
                await requests.request_sleep(conn, namespace_id, waiting)
        woken += waiting
        if len(page) < BATCH:
            return woken
        after = page[-1].id


async def _read_progress(
    database: Database, namespace_id: int, watched: Sequence[str] | None, since: datetime
) -> Progress:
    async with database.transaction(namespace_id) as conn:
        jobs = await requests.count_jobs(conn, namespace_id, watched)
        sessions = await requests.count_since(conn, namespace_id, since)
    return Progress(False, 0, jobs, sessions, ())


def _left_out() -> list[str]:
    # The stages import the client of the model, which a server may never need.
    from everword_compactor.sleep.order import CLOSING_STAGES, SESSION_STAGES

    learning = [stage.name for stage in SESSION_STAGES if stage.needs_model]
    return learning + [stage.name for stage in CLOSING_STAGES if stage.needs_model]

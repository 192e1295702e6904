"""Runs stages one after the other, and tells a session that a model cannot read from a model that is away."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import TypeVar

import psycopg

from everword.chat.errors import ChatBudgetSpent, ChatError, ChatUnavailable
from everword.jobs.task import LeaseLost
from everword.telemetry.tracing import tracer
from everword_compactor.jobs import model_outage
from everword_compactor.jobs.namespace_job import NamespaceJob
from everword_compactor.jobs.questions import Questioner
from everword_compactor.sleep.model import SleepInputs, SleepSession
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    SessionStage,
    SessionWork,
    StageTools,
)

log = logging.getLogger(__name__)
_Work = TypeVar("_Work", SessionWork, ClosingWork)


def tools_of(job: NamespaceJob) -> StageTools:
    """Return the tools of a job's stages."""
    chat, heartbeat = job.worker_context.chat, job.run.heartbeat
    return StageTools(
        job.namespace_id,
        Questioner(chat, heartbeat, masks=job.namespace.masks_credentials) if chat else None,
        job.transaction,
        job.worker_context.now(),
        heartbeat,
    )


def digest(
    tools: StageTools, session: SleepSession, loaded: SleepInputs, stages: Sequence[SessionStage]
) -> SessionWork:
    """Return the results of a session's stages as pending writes. Raises ChatError, LeaseLost, and errors of the
    stages.
    """
    work = SessionWork(session, loaded)
    for stage in stages:
        work = _run(tools, stage, work)
    return work


def close(tools: StageTools, work: ClosingWork, stages: Sequence[ClosingStage]) -> ClosingWork:
    """Return the results of a subject's stages as pending writes. Raises the errors of `digest`."""
    for stage in stages:
        work = _run(tools, stage, work)
    return work


def _run(tools: StageTools, stage: SessionStage | ClosingStage, work: _Work) -> _Work:
    if stage.needs_model and tools.asking is None:
        return work
    tools.heartbeat()
    with tracer().start_as_current_span(f"sleep {stage.name}"):
        return stage.run(tools, work)  # type: ignore[arg-type, return-value]


def is_session_failure(job: NamespaceJob, error: Exception) -> bool:
    """Return whether a failure is the session's own; an unavailable model or a lost job concerns every session."""
    if isinstance(error, LeaseLost | psycopg.Error | ChatBudgetSpent):
        return False
    if not isinstance(error, ChatUnavailable) or job.worker_context.chat is None:
        return True
    time.sleep(model_outage.MAX_WAIT_SECONDS)
    return model_outage.answers_others(job.worker_context.chat, job.run.heartbeat)


def describe(error: Exception) -> str:
    """Return what operators see of a failure: the errors of the code may hold content, so their names alone."""
    return (
        f"{type(error).__name__}: {error}" if isinstance(error, ChatError) else type(error).__name__
    )

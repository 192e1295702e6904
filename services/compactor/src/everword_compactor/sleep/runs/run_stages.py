"""Runs stages one after the other. A failed side step costs its own results; a failed session is parked."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
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
        partial(is_session_failure, job),
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
        try:
            return stage.run(tools, work)  # type: ignore[arg-type, return-value]
        except Exception as error:  # a stage or a model may fail in any way
            error.add_note(stage.name)
            # A step that does not need the model runs again without it; its other errors are errors of the code.
            is_optional = stage.needs_model or isinstance(error, ChatError)
            is_essential = isinstance(stage, SessionStage) and stage.is_essential
            if is_essential or not is_optional or not tools.is_local(error):
                raise
            log.warning("step skipped", exc_info=error, extra={"step": stage.name})
            if not stage.needs_model:
                work = stage.run(replace(tools, asking=None), work)  # type: ignore[arg-type, assignment]
            return work.failing(describe(error))


def is_session_failure(job: NamespaceJob, error: Exception) -> bool:
    """Return whether a failure is the session's own; an unavailable model or a lost job concerns every session."""
    if isinstance(error, LeaseLost | psycopg.Error | ChatBudgetSpent):
        return False
    if not isinstance(error, ChatUnavailable) or job.worker_context.chat is None:
        return True
    time.sleep(model_outage.MAX_WAIT_SECONDS)
    return model_outage.answers_others(job.worker_context.chat, job.run.heartbeat)


def describe(error: Exception) -> str:
    """Return what operators see of a failure: the step, and the error.

    Errors of the code may contain messages' text, so that only their names are shown.
    """
    step = next(iter(getattr(error, "__notes__", [])), "")
    named = type(error).__name__
    shown = f"{named}: {error}" if isinstance(error, ChatError) else named
    return f"{step}: {shown}" if step else shown

"""Distinguishes a job that a model cannot do, which is parked, from a model that is unavailable, which is
waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from everword.chat.errors import ChatBudgetSpent, ChatError, ChatUnavailable
from everword.chat.model import ChatRequest
from everword.jobs.task import DependencyUnavailable, JobRun, Task

if TYPE_CHECKING:
    # The service has the settings of this, and asks no model: its client takes long to import.
    from everword.chat.blocking import BlockingChat

#: A request that any model can answer.
HARMLESS = ChatRequest(task="probe", system="", user="Say yes.", max_tokens=16)
#: The circuit breaker lets nothing pass for so long after an outage; the question comes after that.
MAX_WAIT_SECONDS = 6.0
#: Longest pause of a job for a budget, whose change wakes jobs, or for a server that asks for a pause.
BUDGET_PAUSE_S = 3600.0


def detect_model_outage(
    run: Callable[[JobRun], datetime | None],
    chat: BlockingChat,
    sleep: Callable[[float], None] = time.sleep,
) -> Callable[[JobRun], datetime | None]:
    """Return `run`, raising DependencyUnavailable if it fails while the model is unavailable or its budget is spent."""

    def run_and_blame(job: JobRun) -> datetime | None:
        try:
            return run(job)
        except ChatBudgetSpent as error:
            pause_s = min(error.retry_after_s or BUDGET_PAUSE_S, BUDGET_PAUSE_S)
            raise DependencyUnavailable(str(error), pause_s) from error
        except ChatUnavailable as error:
            sleep(MAX_WAIT_SECONDS)
            job.heartbeat()
            if not answers_others(chat, job.heartbeat):
                raise DependencyUnavailable(str(error), _pause_of(error)) from error
            raise

    return run_and_blame


def _pause_of(error: ChatUnavailable) -> float | None:
    """Return the pause that the server asked for; None for the task's own if that is no shorter."""
    asked = error.retry_after_s or 0.0
    return min(asked, BUDGET_PAUSE_S) if asked > Task.away_s else None


def answers_others(chat: BlockingChat, heartbeat: Callable[[], None]) -> bool:
    """Return whether a model that has just failed answers a harmless question, however badly."""
    try:
        chat.complete(HARMLESS, heartbeat)
    except ChatUnavailable:
        return False
    except ChatError:
        return True
    return True

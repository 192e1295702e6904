"""The task `sleep`: learns from the finished sessions of a conversation, and runs the closing steps.

There is a job for each conversation with messages, and one for the namespace. The first stores the results of each
session in a transaction of its own. The second runs the closing steps for the subjects of such sessions, and every
night. If the namespace wants a run to be stored at once, the second does everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from everword.jobs.enqueue import SLEEP_NAMESPACE
from everword.jobs.task import JobRun
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.namespace_job import open_job
from everword_compactor.sleep.order import CLOSING_STAGES, SESSION_STAGES
from everword_compactor.sleep.runs.conversation import sleep_conversation
from everword_compactor.sleep.runs.namespace import sleep_namespace
from everword_compactor.sleep.work import ClosingStage, SessionStage
from everword_compactor.topics.schedule import schedule_changes


class SleepJobs:
    """Does the jobs of the task."""

    def __init__(
        self,
        worker_context: WorkerContext,
        session_stages: Sequence[SessionStage] = SESSION_STAGES,
        closing_stages: Sequence[ClosingStage] = CLOSING_STAGES,
    ) -> None:
        self._worker_context = worker_context
        self._session_stages = session_stages
        self._closing_stages = closing_stages

    def run(self, run: JobRun) -> datetime | None:
        """Do the due work, until others wait; returns the time of further work."""
        with open_job(self._worker_context, run) as job:
            if job is None:
                return None
            if run.job.subject == SLEEP_NAMESPACE:
                again = sleep_namespace(job, self._session_stages, self._closing_stages)
            else:
                again = sleep_conversation(job, UUID(run.job.subject), self._session_stages)
        # Of facts that were learned or confirmed there may be relations.
        schedule_changes(self._worker_context.database, run.job.namespace_id)
        return again

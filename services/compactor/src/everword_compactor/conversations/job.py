"""The task `compact`: sums up one conversation."""

from __future__ import annotations

import time
from datetime import datetime
from uuid import UUID

from everword.jobs.task import JobRun
from everword_compactor.compose.model import Level
from everword_compactor.conversations.leaves import make_leaves
from everword_compactor.conversations.levels import raise_level
from everword_compactor.conversations.revision import revise_outdated
from everword_compactor.conversations.summarizer import ConversationSummarizer
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.failures import Failures
from everword_compactor.jobs.namespace_job import open_job

#: How long a conversation keeps a worker from the others, but for the step that it is at then.
TURN_S = 30.0


class Compaction:
    """Makes the nodes of conversations. An interrupted run is continued by the next one from the stored state."""

    def __init__(self, worker_context: WorkerContext) -> None:
        self._worker_context = worker_context

    def run(self, run: JobRun) -> datetime | None:
        """Do the conversation's due work, up to a limit, or until others wait; returns the time of further work.

        A node that fails does not hold up the others, except the leaves after it; a failure is raised at the end.
        Raises everword.chat.errors.ChatError if no model gives a usable answer; results stored before stay.
        """
        failures, due_at = Failures(), None
        with open_job(self._worker_context, run) as job:
            if job is None:
                return None
            until = time.monotonic() + TURN_S
            summarizer = ConversationSummarizer(job, UUID(run.job.subject), until)
            with failures.kept():
                due_at = make_leaves(summarizer)
            # Revise before making higher levels, which would be made from outdated nodes otherwise.
            more = revise_outdated(summarizer, failures)
            for level in (Level.BRANCH, Level.ROOT):
                with failures.kept():
                    more |= raise_level(summarizer, level)
        failures.raise_any()
        return self._worker_context.now() if more else due_at

"""The task `tool-sentences`: says in a sentence what tool calls did.

A namespace's queue is emptied batch by batch, in turn with those of others. A batch is claimed, read, put into words
outside of any transaction, several calls at once, and stored in one transaction with everything that belongs to it. A
call whose sentence cannot be used waits for another attempt, and is given up after three, and so does one that the
model alone does not answer; where the model is away, calls are given back and the job fails.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event
from uuid import UUID

from everword.chat.errors import ChatBudgetSpent, ChatUnavailable
from everword.db.blocking import Connection
from everword.jobs.task import MAX_ATTEMPTS, JobRun
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.model_outage import answers_others
from everword_compactor.jobs.namespace_job import NamespaceJob, open_job
from everword_compactor.nodes.model import NodeNamespace
from everword_compactor.tool_sentences import store
from everword_compactor.tool_sentences.ask import (
    ModelWriter,
    TemplateWriter,
    Writer,
    attempt,
    describe,
)
from everword_compactor.tool_sentences.model import ClaimedCall, ToolCall, ToolSentence
from everword_compactor.tool_sentences.write import write_sentences

#: Tool calls that are claimed at once. The model is asked of all of them, as many at once as its client lets.
BATCH = 16
#: How often leases are kept up while the model is asked.
BEAT_S = 5.0


@dataclass
class BatchResult:
    """The results of a batch."""

    sentences: dict[UUID, ToolSentence] = field(default_factory=dict)
    failures: dict[UUID, Exception] = field(default_factory=dict)
    #: Calls that the model did not answer, or was not asked about.
    unanswered: dict[UUID, ChatUnavailable] = field(default_factory=dict)

    @property
    def away(self) -> ChatUnavailable | None:
        return next(iter(self.unanswered.values()), None)

    def blame_calls(self) -> None:
        """Count unanswered calls as the calls' own failures."""
        self.failures |= self.unanswered
        self.unanswered = {}


class ToolSentences:
    """Puts the tool calls of a namespace into words."""

    def __init__(self, worker_context: WorkerContext) -> None:
        self._worker_context = worker_context
        self._database = worker_context.database
        self._settings = worker_context.tools
        self._writer: Writer = TemplateWriter()
        if worker_context.chat:
            self._writer = ModelWriter(worker_context.chat)

    def run(self, run: JobRun) -> datetime | None:
        """Do the due work, and return the time of further work. Raises ChatUnavailable."""
        with open_job(self._worker_context, run) as job:
            if job is None:
                return None
            while self._do_batch(job) and not run.other_namespaces_wait():
                pass
        with self._database.connection() as conn:
            return store.next_due(conn, run.job.namespace_id)

    def _do_batch(self, job: NamespaceJob) -> bool:
        """Process one batch; False if nothing is due. Raises ChatUnavailable after the results are stored."""
        with self._database.connection() as conn:
            claims = store.claim_calls(conn, job.namespace_id, BATCH, self._settings.lease_s)
        if not claims:
            return False
        ids = sorted(claim.message_id for claim in claims)
        with job.transaction() as conn:
            calls = store.read_calls(conn, job.namespace_id, ids)
        outcome = self._write(job, claims, list(calls.values()))
        spent = isinstance(outcome.away, ChatBudgetSpent)
        if outcome.away and not spent and self._model_answers_other_calls(job, claims):
            outcome.blame_calls()
        job.record(
            lambda conn: self._complete(conn, job.namespace, claims, calls, outcome),
            is_progress=bool(outcome.sentences),
        )
        if outcome.away:
            raise outcome.away
        return True

    def _write(
        self, job: NamespaceJob, claims: Sequence[ClaimedCall], calls: Sequence[ToolCall]
    ) -> BatchResult:
        """Put calls into words, several at once, and keep the job and the claims meanwhile."""
        ended = Event()
        with ThreadPoolExecutor(BATCH, thread_name_prefix="sentence") as pool:
            # Each in the trace of the job.
            futures = {
                pool.submit(copy_context().run, self._attempt, job.namespace, call, ended): call.id
                for call in calls
            }
            try:
                while wait(futures, timeout=BEAT_S).not_done:
                    self._beat(job, claims)
            except BaseException:
                # The pool waits for its threads: they must not wait for the model.
                ended.set()
                raise
        return _gathered(futures)

    def _attempt(
        self, namespace: NodeNamespace, call: ToolCall, ended: Event
    ) -> ToolSentence | Exception:
        shown = call.masked() if namespace.masks_credentials else call
        return attempt(self._writer, shown, ended)

    def _model_answers_other_calls(self, job: NamespaceJob, claims: Sequence[ClaimedCall]) -> bool:
        """Return whether the model answers other requests; then the unanswered calls are at fault."""
        chat = self._worker_context.chat
        if chat is None:
            return False
        time.sleep(self._settings.max_wait_s)
        return answers_others(chat, lambda: self._beat(job, claims))

    def _beat(self, job: NamespaceJob, claims: Sequence[ClaimedCall]) -> None:
        """Keep the job and the claims. Raises LeaseLost."""
        job.run.heartbeat()
        with self._database.connection() as conn:
            store.extend_claims(conn, job.namespace_id, claims, self._settings.lease_s)

    def _complete(
        self,
        conn: Connection,
        namespace: NodeNamespace,
        claims: Sequence[ClaimedCall],
        calls: Mapping[UUID, ToolCall],
        outcome: BatchResult,
    ) -> None:
        """Store the results of a batch."""
        # A message that is gone needs no sentence.
        done = [c for c in claims if c.message_id in outcome.sentences or c.message_id not in calls]
        failed = [c for c in claims if c.message_id in outcome.failures]
        left = [c for c in claims if c not in done and c not in failed]
        completed = store.complete_calls(conn, namespace.id, done)
        sentences = {id_: s for id_, s in outcome.sentences.items() if id_ in completed}
        write_sentences(conn, namespace, calls, sentences)
        for claim in failed:
            self._fail(conn, namespace.id, claim, outcome.failures[claim.message_id])
        if outcome.away:
            store.release_calls(conn, namespace.id, left, describe(outcome.away))

    def _fail(
        self, conn: Connection, namespace_id: int, claim: ClaimedCall, error: Exception
    ) -> None:
        pauses = self._settings.pauses_s
        store.fail_call(
            conn,
            namespace_id,
            claim,
            describe(error),
            final=claim.attempts >= MAX_ATTEMPTS,
            pause_s=pauses[min(claim.attempts, len(pauses)) - 1],
        )


def _gathered(futures: Mapping[Future[ToolSentence | Exception], UUID]) -> BatchResult:
    """Return the results of the calls. Raises errors that are neither a call's nor a model's fault."""
    outcome = BatchResult()
    for future, message_id in futures.items():
        try:
            result = future.result()
        except ChatUnavailable as error:
            outcome.unanswered[message_id] = error
            continue
        if isinstance(result, ToolSentence):
            outcome.sentences[message_id] = result
        else:
            outcome.failures[message_id] = result
    return outcome

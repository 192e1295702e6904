"""`python -m everword_compactor.worker [TASK…]`: run the jobs of the named tasks, or of all tasks."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

# This import registers dumpers for parameters, which connections opened earlier would lack.
import everword.db.arrays  # noqa: F401
from everword.chat.settings import ChatSettings
from everword.db.blocking import BlockingDatabase
from everword.domain.settings import Environment, SettingError
from everword.jobs.task import JobRun, Task
from everword.jobs.worker import run_worker
from everword.observability import setup
from everword.processes.heap import share_arenas
from everword.processes.priority import lower_process_priority
from everword_compactor.compose.model import Composer
from everword_compactor.jobs.context import Ledger, WorkerContext
from everword_compactor.jobs.due_vectors import DueVectors
from everword_compactor.jobs.model_outage import detect_model_outage
from everword_compactor.settings import SERVICE, CompactorWorkerSettings

if TYPE_CHECKING:
    from everword.chat.blocking import BlockingChat

_Run = Callable[[JobRun], datetime | None]

# The modules of a task are imported at its first job: most installations never need those of some tasks.


def _compact(worker_context: WorkerContext) -> _Run:
    from everword_compactor.conversations.job import Compaction

    return Compaction(worker_context).run


def _roll_up(worker_context: WorkerContext) -> _Run:
    from everword_compactor.calendar.job import RollUp

    return RollUp(worker_context).run


def _learn(worker_context: WorkerContext) -> _Run:
    from everword_compactor.learning.job import Learning
    from everword_compactor.themes.job import with_themes
    from everword_compactor.topics.job import with_topics

    learning = with_themes(worker_context, Learning(worker_context).run)
    return with_topics(worker_context, learning)


def _sleep(worker_context: WorkerContext) -> _Run:
    from everword_compactor.sleep.job import SleepJobs

    return SleepJobs(worker_context).run


def _tool_sentences(worker_context: WorkerContext) -> _Run:
    from everword_compactor.tool_sentences.job import ToolSentences

    return ToolSentences(worker_context).run


def _composer(chat: BlockingChat | None) -> Composer:
    if chat is None:
        from everword_compactor.compose.extractive.composer import ExtractiveComposer

        return ExtractiveComposer()
    from everword_compactor.compose.llm.composer import LlmComposer

    return LlmComposer(chat)


#: Factories of the function that runs a task's jobs, by task.
TASKS: dict[str, Callable[[WorkerContext], _Run]] = {
    "compact": _compact,
    "roll-up": _roll_up,
    "learn": _learn,
    "sleep": _sleep,
    "tool-sentences": _tool_sentences,
}
#: Tasks with short requests, which the small model answers.
SMALL_TASKS = {"tool-sentences"}
#: Tasks that summarize each channel first, with the small model.
DIGESTING_TASKS = {"roll-up"}
#: Database connections of each task: one for the job, one for its heartbeat. The pool has as many in reserve.
_CONNECTIONS = 2
#: Held during imports: two threads that import the same package may each see half-initialised modules of the other.
_FIRST_USE = threading.Lock()


def main(arguments: Sequence[str]) -> None:
    names = list(dict.fromkeys(arguments)) or list(TASKS)
    if unknown := sorted(set(names) - set(TASKS)):
        sys.exit(
            f"everword: unknown task {unknown[0]!r}; name some of {', '.join(TASKS)}, or none for all"
        )
    # Before other threads start, since each would take an arena.
    share_arenas()
    # Callers wait for the services on the same cores, but not for summaries.
    lower_process_priority()
    try:
        settings = CompactorWorkerSettings.from_environment(Environment(os.environ))
    except SettingError as error:
        sys.exit(f"everword: {error}")
    with ExitStack() as resources:
        resources.callback(setup("compactor-worker", settings.log_level))
        database = BlockingDatabase(
            settings.database, SERVICE, max_size=_CONNECTIONS * (len(names) + 1)
        )
        resources.enter_context(closing(database))
        database.open()
        tasks = [
            Task(name, _run_of(name, settings, database, resources), lease_s=settings.lease_s)
            for name in names
        ]
        run_worker(database, settings.redis_url, tasks, DueVectors(database).wait)


def _run_of(
    name: str, settings: CompactorWorkerSettings, database: BlockingDatabase, resources: ExitStack
) -> _Run:
    """Return the function that runs a task's jobs.

    The first job opens the model servers and pools of the task; closing `resources` closes them.
    """

    @cache
    def made() -> _Run:
        ledger = Ledger(database)

        def open_chat(model: ChatSettings | None) -> BlockingChat | None:
            if model is None:
                return None
            from everword.chat.blocking import BlockingChat
            from everword.chat.priority import BackgroundTurn

            turn = resources.enter_context(
                closing(BackgroundTurn(settings.redis_url, model.endpoint))
            )
            chat = BlockingChat(model, ledger.record, admit=ledger.admit, wait_turn=turn.wait)
            return resources.enter_context(closing(chat))

        chat = open_chat(settings.small_chat if name in SMALL_TASKS else settings.chat)
        asks_small = name in DIGESTING_TASKS and settings.small_chat != settings.chat
        small = open_chat(settings.small_chat) if asks_small else None
        digests = _composer(small) if small else None
        worker_context = WorkerContext(
            database, _composer(chat), chat, ledger, digests, settings.compaction
        )
        run = TASKS[name](worker_context)
        for asked in filter(None, (small, chat)):
            run = detect_model_outage(run, asked)
        return run

    def run(job: JobRun) -> datetime | None:
        with _FIRST_USE:
            prepared = made()
        return prepared(job)

    return run


if __name__ == "__main__":
    main(sys.argv[1:])

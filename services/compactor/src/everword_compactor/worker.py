"""`python -m everword_compactor.worker TASK`: takes wake-ups of one task, and does its jobs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import datetime

from everword.chat.blocking import BlockingChat
from everword.db.blocking import BlockingDatabase
from everword.domain.settings import Environment, SettingError
from everword.jobs.task import JobRun, Task
from everword.jobs.worker import run_worker
from everword.observability import setup
from everword.processes.heap import share_arenas
from everword.processes.priority import let_process_give_way
from everword_compactor.compose.model import Composer
from everword_compactor.jobs.context import Ledger, WorkerContext
from everword_compactor.jobs.due_vectors import DueVectors
from everword_compactor.jobs.model_outage import detect_model_outage
from everword_compactor.settings import SERVICE, CompactorWorkerSettings

_Run = Callable[[JobRun], datetime | None]

# Each worker imports what its own task needs: with that of all tasks a start takes half as long again.


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
    from everword_compactor.sleep.job import Sleeping

    return Sleeping(worker_context).run


def _tool_sentences(worker_context: WorkerContext) -> _Run:
    from everword_compactor.tool_sentences.job import ToolSentences

    return ToolSentences(worker_context).run


def _composer(chat: BlockingChat | None) -> Composer:
    if chat is None:
        from everword_compactor.compose.extractive.composer import ExtractiveComposer

        return ExtractiveComposer()
    from everword_compactor.compose.llm.composer import LlmComposer

    return LlmComposer(chat)


#: task -> what does its jobs
TASKS: dict[str, Callable[[WorkerContext], _Run]] = {
    "compact": _compact,
    "roll-up": _roll_up,
    "learn": _learn,
    "sleep": _sleep,
    "tool-sentences": _tool_sentences,
}
#: Tasks whose requests are short, and which another model may answer.
SMALL_TASKS = {"tool-sentences"}
#: Tasks that sum up channels first, which is small work too.
DIGESTING_TASKS = {"roll-up"}


def main(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0] not in TASKS:
        sys.exit(f"everword: say which task the worker is for: {', '.join(TASKS)}")
    [name] = arguments
    # Before any thread has taken an arena of its own.
    share_arenas()
    # Nobody waits for summaries, and somebody may for what services do on the same cores.
    let_process_give_way()
    try:
        settings = CompactorWorkerSettings.from_environment(Environment(os.environ))
    except SettingError as error:
        sys.exit(f"everword: {error}")
    flush = setup(f"compactor-worker-{name}", settings.log_level)
    database = BlockingDatabase(settings.database, SERVICE)
    ledger = Ledger(database)
    model = settings.small_chat if name in SMALL_TASKS else settings.chat
    chat = BlockingChat(model, ledger.record, admit=ledger.admit) if model else None
    asks_small = name in DIGESTING_TASKS and settings.small_chat != settings.chat
    small = (
        BlockingChat(settings.small_chat, ledger.record, admit=ledger.admit)
        if asks_small and settings.small_chat
        else None
    )
    digests = _composer(small) if small else None
    worker_context = WorkerContext(
        database, _composer(chat), chat, ledger, digests, settings.compaction
    )
    try:
        database.open()
        run = TASKS[name](worker_context)
        for asked in filter(None, (small, chat)):
            run = detect_model_outage(run, asked)
        task = Task(name, run, lease_s=settings.lease_s)
        run_worker(database, settings.redis_url, task, DueVectors(database).wait)
    finally:
        for asked in filter(None, (small, chat)):
            asked.close()
        database.close()
        flush()


if __name__ == "__main__":
    main(sys.argv[1:])

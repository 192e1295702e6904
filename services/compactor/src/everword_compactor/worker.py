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
from everword.observability.setup import setup
from everword_compactor.blame import blaming
from everword_compactor.calendar.job import RollUp
from everword_compactor.compaction.job import Compaction
from everword_compactor.compose.extractive import ExtractiveComposer
from everword_compactor.compose.llm import LlmComposer
from everword_compactor.compose.model import Composer
from everword_compactor.settings import SERVICE, WorkerSettings
from everword_compactor.tools.job import ToolSentences
from everword_compactor.workshop import Ledger, Workshop

#: task -> what does its jobs
TASKS: dict[str, Callable[[Workshop], Callable[[JobRun], datetime | None]]] = {
    "compact": lambda workshop: Compaction(workshop).run,
    "roll-up": lambda workshop: RollUp(workshop).run,
    "tool-sentences": lambda workshop: ToolSentences(workshop).run,
}


def main(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0] not in TASKS:
        sys.exit(f"everword: say which task the worker is for: {', '.join(TASKS)}")
    [name] = arguments
    try:
        settings = WorkerSettings.from_environment(Environment(os.environ))
    except SettingError as error:
        sys.exit(f"everword: {error}")
    flush = setup(f"compactor-worker-{name}", settings.log_level)
    database = BlockingDatabase(settings.database, SERVICE)
    ledger = Ledger(database)
    chat = BlockingChat(settings.chat, ledger.record) if settings.chat else None
    composer: Composer = LlmComposer(chat) if chat else ExtractiveComposer()
    workshop = Workshop(database, composer, chat, ledger, settings.compaction, settings.tools)
    try:
        database.open()
        run = TASKS[name](workshop)
        task = Task(name, blaming(run, chat) if chat else run, lease_s=settings.lease_s)
        run_worker(database, settings.redis_url, task)
    finally:
        if chat:
            chat.close()
        database.close()
        flush()


if __name__ == "__main__":
    main(sys.argv[1:])

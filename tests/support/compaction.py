"""Runs compaction directly, as workers do, with a composer and a clock of the test's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from everword.db.blocking import BlockingDatabase
from everword.domain.compaction import CompactionSettings
from everword.domain.times import utc_now
from everword.jobs.store import JobKey
from everword.jobs.task import JobRun, Task
from everword.jobs.worker import Worker
from everword_compactor.calendar.job import RollUp
from everword_compactor.calendar.schedule import schedule_roll_ups
from everword_compactor.compose.current_composer import CurrentComposer
from everword_compactor.compose.model import (
    BUDGET_TOKENS,
    Composer,
    Composition,
    Draft,
    Faithfulness,
    Level,
)
from everword_compactor.conversations.job import Compaction
from everword_compactor.jobs.context import Ledger, WorkerContext
from support.databases import DatabaseUnderTest
from support.stack import Stack

FAITHFUL = Faithfulness((), (), 1.0, 1.0)
#: Jobs due within this time count as due now, since on a busy machine the work itself takes time.
AT_ONCE = timedelta(seconds=30)
#: Above the number of jobs in any test.
MOST_JOBS = 300


@dataclass
class ScriptedComposer:
    """Writes the beginning of each source, one line each; `on_compose` may inspect the draft, or raise."""

    model: str = "scripted"
    version: int = 1
    on_compose: Callable[[Draft], None] = lambda draft: None
    #: Nodes with this text count as unsupported by their sources.
    invented: str = "\0"
    drafts: list[Draft] = field(default_factory=list)

    def prompt_version(self, level: Level) -> int:
        return self.version

    def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
        heartbeat()
        self.drafts.append(draft)
        self.on_compose(draft)
        lines = [f"- {' '.join(source.text.split())[:60]}" for source in draft.sources]
        content = f"{self.model} {self.version}, level {draft.level}:\n" + "\n".join(lines)
        found = Faithfulness(["42"], (), 1.0, 1.0) if self.invented in content else FAITHFUL
        return Composition(content, self.model, self.version, found, len(content.encode()) // 4)


@contextmanager
def worker_context(
    database: DatabaseUnderTest,
    composer: Composer | None = None,
    now: datetime | None = None,
    compaction: CompactionSettings = CompactionSettings(),
    digests: Composer | None = None,
) -> Iterator[WorkerContext]:
    """Yield the context of the compactor's tasks, with the clock fixed at `now` if given."""
    blocking = BlockingDatabase(database.settings("compactor"), "compactor")
    blocking.open()
    with closing(blocking):
        yield WorkerContext(
            database=blocking,
            composer=composer or ScriptedComposer(),
            chat=None,
            ledger=Ledger(blocking),
            digests=digests,
            compaction=compaction,
            now=(lambda: now) if now else utc_now,
        )


def work(
    database: DatabaseUnderTest, blocking: BlockingDatabase, task: Task, now: datetime
) -> dict[int, str | None]:
    """Execute the jobs of a task that are due at `now`, until none is left; return how each ended."""
    worker, ended = Worker(blocking, task), dict[int, str | None]()
    for _ in range(MOST_JOBS):
        with database.connect() as conn:
            row = conn.execute(
                "SELECT namespace_id, id FROM jobs WHERE task = %s AND state = 'pending' AND not_before <= %s "
                "ORDER BY not_before, id LIMIT 1",
                (task.name, now),
            ).fetchone()
            if row is None:
                return ended
            conn.execute(
                "UPDATE jobs SET not_before = least(not_before, now()) WHERE namespace_id = %s AND id = %s",
                row,
            )
        key = JobKey(*row)
        ended[key.job_id] = worker.execute(key)
    raise AssertionError(f"the jobs of {task.name} come to no end: {ended}")


def compact(
    database: DatabaseUnderTest,
    composer: Composer | None = None,
    now: datetime | None = None,
    run: Callable[[Compaction], Callable[[JobRun], datetime | None]] = lambda task: task.run,
) -> dict[int, str | None]:
    """Summarise every conversation that is due by `now`; return how each job ended."""
    with worker_context(database, composer, now) as shop:
        task = Task("compact", run(Compaction(shop)), pauses_s=(0.0,))
        return work(database, shop.database, task, now or datetime.now(UTC) + AT_ONCE)


async def compact_everything(
    stack: Stack, composer: Composer | None = None, now: datetime | None = None
) -> dict[int, str | None]:
    """Summarise every conversation that is due at `now`; by default, 30 days from now."""
    moment = now or datetime.now(UTC) + timedelta(days=30)
    return await asyncio.to_thread(compact, stack.database, composer, moment)


def current(composer: Composer) -> CurrentComposer:
    """Return the current composer, which is always `composer`."""
    return CurrentComposer(
        composer.model, {level: composer.prompt_version(level) for level in BUDGET_TOKENS}
    )


def roll_up(
    database: DatabaseUnderTest,
    composer: Composer | None = None,
    now: datetime | None = None,
    quiet_s: float = 0.0,
    digests: Composer | None = None,
) -> dict[int, str | None]:
    """Summarise every period that is due at `now`, as sweeps and workers do; return how each job ended last.

    A re-opened period waits until no late message has arrived for `quiet_s` seconds, by the database's clock.
    """
    moment = now or datetime.now(UTC)
    ended = dict[int, str | None]()
    with worker_context(database, composer, now, digests=digests) as shop:
        task = Task("roll-up", RollUp(shop).run, pauses_s=(0.0,))
        for _ in range(MOST_JOBS):
            scheduled = schedule_roll_ups(
                shop.database, current(shop.composer), lambda: moment, quiet_s
            )
            done = work(database, shop.database, task, datetime.now(UTC) + AT_ONCE)
            ended.update(done)
            if not scheduled and not done:
                return ended
    raise AssertionError("the calendar comes to no end")


async def roll_up_everything(
    stack: Stack, composer: Composer | None = None, now: datetime | None = None
) -> dict[int, str | None]:
    """Summarise every period that has ended at `now`."""
    return await asyncio.to_thread(roll_up, stack.database, composer, now)

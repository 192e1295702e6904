"""Workers with a failing language model, and the invariants of their work."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import psycopg

from everword.chat.blocking import BlockingChat
from everword.domain.compaction import CompactionSettings
from everword.jobs.store import JobKey
from everword.jobs.task import Task
from everword.jobs.worker import Worker
from everword_compactor.calendar.schedule import schedule_roll_ups
from everword_compactor.compose.llm.composer import LlmComposer
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.model_outage import detect_model_outage
from everword_compactor.worker import TASKS
from support.compaction import current, worker_context
from support.databases import DatabaseUnderTest
from support.faithful_replies import said_of
from support.scripted_chat import Body, Reply, ScriptedChat, answer, schema_of, user_text
from support.tool_calls import IMPATIENT, chat_settings

#: A time after the end of all periods, the year included.
LATER = datetime(2027, 3, 1, tzinfo=UTC)
#: A leaf for every two messages, so that there are many steps.
SMALL = CompactionSettings(after_messages=2)
#: Seconds without requests to a failing server; production uses longer ones.
BREAKER_S = 0.01
#: Above the number of rounds in any test.
MOST_ROUNDS = 60

#: Returns the reply to a request that fails; the second argument is the answer that it would have got.
Failure = Callable[[Body, Any], Reply]


def question(request: Body) -> str:
    """Return the question of a request, without the description of an earlier answer's errors."""
    return user_text(request).partition("\n\nWrite it again, ")[0]


class Fate:
    """Decides whether the server answers a request or fails, and records questions and answers."""

    def __init__(self, failure: Failure, times: int = 0) -> None:
        """Let each question fail `times` times before it is answered."""
        self.failure = failure
        self.times = times
        #: Answers until every request fails, including probes without a schema, until `lift` is called; None for no
        #: limit.
        self.answers_left: int | None = None
        #: By question: the number of requests, and the number of answers.
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()

    def __call__(self, request: Body) -> Reply:
        said, asked = said_of(request), question(request)
        if schema_of(request) is None:
            return self.failure(request, said) if self.answers_left == 0 else answer(said)
        self.asked[asked] += 1
        if self.answers_left == 0 or self.asked[asked] <= self.times:
            return self.failure(request, said)
        if self.answers_left:
            self.answers_left -= 1
        self.answered[asked] += 1
        return answer(said)

    def lift(self) -> None:
        self.answers_left = None


class OpenTransactions:
    """Detects transactions that stay open during a model call."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self.found: set[tuple[Any, ...]] = set()

    def look(self) -> None:
        if open_ones := self._idle():
            # Skip transactions that end within 30 ms, since other workers may be in one at this moment.
            time.sleep(0.03)
            self.found |= open_ones & self._idle()

    def _idle(self) -> set[tuple[Any, ...]]:
        return set(
            self._connection.execute(
                """SELECT pid, xact_start, query FROM pg_stat_activity
                    WHERE datname = current_database() AND state LIKE 'idle in transaction%'"""
            )
        )


@dataclass(frozen=True)
class Crew:
    """One worker of each task of the compactor, with a model."""

    database: DatabaseUnderTest
    shop: WorkerContext
    workers: dict[str, Worker]

    def round(self, task: str) -> dict[int, str | None]:
        """Execute each unfinished job once, ignoring its pause; return how each ended. Sweeps run first."""
        if task == "roll-up":
            schedule_roll_ups(self.shop.database, current(self.shop.composer), self.shop.now, 0.0)
        with self.database.connect() as conn:
            rows = conn.execute(
                "UPDATE jobs SET not_before = now() WHERE task = %s AND state = 'pending'"
                " RETURNING namespace_id, id",
                (task,),
            ).fetchall()
            if task == "tool-sentences":
                conn.execute("UPDATE tool_sentence_queue SET not_before = now()")
        keys = [JobKey(*row) for row in sorted(rows)]
        return {key.job_id: self.workers[task].execute(key) for key in keys}

    def drain(self, task: str) -> set[str | None]:
        """Execute jobs until none is left; return the outcomes of the attempts."""
        ended: set[str | None] = set()
        for _ in range(MOST_ROUNDS):
            outcomes = self.round(task)
            if not outcomes:
                return ended
            ended.update(outcomes.values())
        raise AssertionError(f"the jobs of {task} come to no end")


@contextmanager
def crew(
    database: DatabaseUnderTest, server: ScriptedChat, now: datetime | None = LATER, **chat: Any
) -> Iterator[Crew]:
    """Yield workers as in production, but in this process and without pauses."""
    settings = chat_settings(server, **{"read_timeout_s": 0.2, **chat})
    with (
        worker_context(database, now=now, compaction=SMALL) as shop,
        closing(BlockingChat(settings, shop.ledger.record, beat_s=0.1)) as model,
    ):
        shop = replace(shop, composer=LlmComposer(model), chat=model, tools=IMPATIENT)
        tasks = {
            # The breaker lets its probe pass after a pause, as in production.
            name: Task(
                name, detect_model_outage(make(shop), model, lambda _: time.sleep(2 * BREAKER_S))
            )
            for name, make in TASKS.items()
        }
        workers = {name: Worker(shop.database, task) for name, task in tasks.items()}
        yield Crew(database, shop, workers)


#: Tasks that ask a model as soon as they are due. `learn` works by rules, and `sleep` waits for a pause in the
#: conversation.
ASKING = tuple(name for name in TASKS if name not in {"learn", "sleep"})


def job_states(database: DatabaseUnderTest, task: str) -> Counter[str]:
    with database.connect() as conn:
        rows = conn.execute("SELECT state FROM jobs WHERE task = %s", (task,)).fetchall()
    return Counter(state for (state,) in rows)


def in_review(database: DatabaseUnderTest) -> list[tuple[int, str, dict[str, Any]]]:
    """Return level, text and faithfulness of nodes with statements that their sources do not support."""
    with database.connect() as conn:
        return conn.execute(
            "SELECT level, content, faithfulness FROM summaries WHERE needs_review ORDER BY id"
        ).fetchall()

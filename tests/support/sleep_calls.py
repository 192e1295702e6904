"""Runs Sleep directly, as workers do, with a model whose answer to each task the test provides."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from everword.chat.blocking import BlockingChat
from everword.chat.settings import ChatSettings
from everword.facts.model import FactState
from everword.jobs.task import JobRun, Task
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.model_outage import detect_model_outage
from everword_compactor.sleep.job import SleepJobs
from support.compaction import work, worker_context
from support.scripted_chat import ScriptedChat
from support.scripted_replies import Body, Reply, answer
from support.stack import Stack

#: Longer than any pause that ends a session.
LATER = timedelta(hours=2)
Records = dict[str, list[dict[str, Any]]]
#: Answers of a model that finds nothing.
NOTHING: Mapping[str, Any] = {
    "sleep-observe": {"facts": []},
    "sleep-topics": {"topics": []},
    "sleep-behaviour": {"inferences": []},
    "sleep-classify": {"relations": []},
    "sleep-confirm": {"confirmed": []},
    "sleep-arbitrate": {"outcome": "keep", "reason": "the messages do not tell"},
    "sleep-edges": {"edges": []},
    "sleep-people": {"people": []},
    "sleep-events": {"events": []},
    "topic-page": {"sections": []},
    "sleep-user-model": {"traits": []},
    "sleep-trajectory": {
        **{name: {"text": "?", "because": []} for name in ("phase", "direction", "summary")},
        **{name: [] for name in ("anchors", "volatile_areas", "predicted_shifts")},
        "momentum": {"text": "", "because": []},
        "stability": "stable",
    },
}


@dataclass
class Mind:
    """A model with an answer for each task, as JSON or as a function of the prompt's records."""

    answers: dict[str, Any] = field(default_factory=dict)
    #: All questions so far: the task and the records.
    asked: list[tuple[str, Records]] = field(default_factory=list)

    def reply(self, body: Body) -> Reply:
        task, records = task_of(body), records_of(body)
        self.asked.append((task, records))
        said = self.answers.get(task, NOTHING.get(task))
        found = said(records) if callable(said) else said
        return found if callable(found) else answer(found)

    def tasks(self) -> list[str]:
        return [task for task, _ in self.asked]


def task_of(body: Body) -> str:
    """Return the task of a request, recognised by its instruction, since requests do not contain the task's name."""
    system = body["messages"][0]["content"]
    marks = {
        "sleep-observe": "List the facts that the user tells",
        "sleep-topics": "Name up to three topics of it",
        "sleep-behaviour": "Infer what the observations show",
        "sleep-classify": "what it is to the facts",
        "sleep-confirm": "Confirm a fact only where",
        "sleep-arbitrate": "Decide with care which one holds",
        "sleep-edges": "Link touched facts",
        "sleep-people": "Name the people whom they speak of",
        "sleep-events": "Name the events in the users' lives",
        "sleep-user-model": "Say how the user communicates",
        "sleep-trajectory": "Write where the person's life is going",
        "topic-page": "Keep a page about the topic",
    }
    plain = " ".join(system.split())
    return next((task for task, mark in marks.items() if mark in plain), "other")


def records_of(body: Body) -> Records:
    """Return the records of a prompt, by heading."""
    records: Records = {}
    heading = ""
    for line in body["messages"][1]["content"].splitlines():
        if line.endswith(":") and not line.startswith(("{", '"')):
            heading = "messages" if line == "message:" else line[:-1]
            records[heading] = []
        elif line.startswith("{"):
            record: dict[str, Any] = json.loads(line)
            # A message to observe has its text under `user`; other records have it under `text`.
            text = {"text": record["user"]} if "user" in record else {}
            records[heading].append({**record, **text})
    return records


def fact_line(attribute: str, value: str, about: str = "", *, guess: bool = False) -> str:
    """Return a line in the model's answer format."""
    return f"{about or 'user'} | {attribute} | {value}{' ?' if guess else ''}"


def observing(*found: tuple[str, ...]) -> Callable[[Records], Any]:
    """Return a model that reads facts in users' messages: (words of the message, attribute, value, third party).

    Without an attribute, the fact is a note of the words.
    """

    def observe(records: Records) -> Any:
        lines = [
            fact_line(*(known if known and known[0] else ("note", words, *known[2:])))
            for message in records["messages"]
            for words, *known in found
            if words in message["user"]
        ]
        return {"facts": lines}

    return observe


@contextmanager
def sleeper(
    stack: Stack, mind: Mind | None, now: datetime | None = None
) -> Iterator[WorkerContext]:
    """Yield the task's context; without `mind`, it has no model."""
    moment = now or datetime.now(UTC) + LATER
    with worker_context(stack.database, now=moment) as context:
        if mind is None:
            yield context
            return
        with ScriptedChat(mind.reply, context_tokens=32_000).running() as server:
            settings = ChatSettings(url=server.url, model=server.model, pauses_s=())
            ledger = context.ledger
            chat = BlockingChat(settings, ledger.record, admit=ledger.admit)
            try:
                yield replace(context, chat=chat)
            finally:
                chat.close()


async def sleep(
    stack: Stack,
    mind: Mind | None = None,
    now: datetime | None = None,
    due: datetime | None = None,
) -> dict[int, str | None]:
    """Run Sleep for everything due some hours from now, or at `now`; return how each job ended last.

    `due` is the time until which jobs are due, if it differs from the time of the stages' clock.
    """
    return await asyncio.to_thread(_sleep, stack, mind, now, due)


def _sleep(
    stack: Stack, mind: Mind | None, now: datetime | None, due: datetime | None
) -> dict[int, str | None]:
    moment = now or datetime.now(UTC) + LATER
    with sleeper(stack, mind, moment) as context:
        return sleep_with(stack, context, due or moment)


def sleep_with(stack: Stack, context: WorkerContext, due: datetime) -> dict[int, str | None]:
    """Run Sleep for everything due at `due` with the given context; return how each job ended last."""
    function: Callable[[JobRun], datetime | None] = SleepJobs(context).run
    if context.chat:
        function = detect_model_outage(function, context.chat, sleep=lambda _: None)
    task = Task("sleep", function, pauses_s=(0.0,))
    return work(stack.database, context.database, task, due)


def rows(stack: Stack, query: str) -> list[tuple[Any, ...]]:
    """Return a query's rows as the owner sees them."""
    with stack.database.connect() as conn:
        return conn.execute(query.encode()).fetchall()


def classifying(*relations: tuple[str, str, str]) -> Any:
    """Return a model's classification of observed values against known ones: (observed, relation, known)."""

    def classify(records: Records) -> Any:
        known = {fact["value"]: fact["fact"] for fact in records["facts"]}
        return {
            "relations": [
                {"o": each["o"], "relation": relation, "fact": known.get(value, 0)}
                for each in records["observations"]
                for observed, relation, value in relations
                if each.get("value") == observed or each["text"] == observed
            ]
        }

    return classify


def stored(stack: Stack) -> dict[tuple[str, str], tuple[FactState, int, int]]:
    """Return facts by attribute and value: state, supporting and contradicting evidence."""
    found = rows(stack, "SELECT attribute, value, state, supporting, contradicting FROM facts")
    return {(each[0], each[1]): (FactState(each[2]), each[3], each[4]) for each in found}


def wake_all(stack: Stack) -> None:
    """Make every conversation due for Sleep, including those without messages of people."""
    with stack.database.connect() as conn:
        conn.execute(
            """INSERT INTO jobs (namespace_id, task, subject)
               SELECT namespace_id, 'sleep', id::text FROM conversations ON CONFLICT DO NOTHING"""
        )


def pass_night(stack: Stack) -> None:
    """Let a night pass since the last one."""
    with stack.database.connect() as conn:
        conn.execute("UPDATE sleep_nights SET night = night - 1")
        conn.execute(
            "UPDATE jobs SET not_before = now(), state = 'pending' WHERE task = 'sleep' AND subject = 'namespace'"
        )

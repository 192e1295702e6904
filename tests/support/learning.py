"""Runs learning directly, as workers do, and reads the histories with which it is measured."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from google.protobuf.timestamp_pb2 import Timestamp

from everword.jobs.task import JobRun, Task
from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as profile
from everword_compactor.learning.job import Learning
from everword_compactor.topics.job import with_topics
from everword_compactor.topics.schedule import schedule_topics
from support.calls import append_request, message, target
from support.compaction import AT_ONCE, work
from support.sleep_calls import Mind, sleeper
from support.stack import Stack

_HISTORIES = Path(__file__).parent / "histories"


@dataclass(frozen=True)
class History:
    """A person's statements about one attribute, one per day."""

    attribute: str
    #: The statement with the same wording as the question: `old`, `alike` or `new`.
    wording: str
    messages: tuple[str, ...]
    #: Lower-case values that are current at the end, and lower-case outdated values.
    current: frozenset[str]
    past: frozenset[str]
    question: str


def read_histories(name: str) -> list[History]:
    """Return the histories of one half: `building`, or `held_out`, which was not used in development."""
    lines = (_HISTORIES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    fields = [[part.strip() for part in line.split("|")] for line in lines if line[0] != "#"]
    return [
        History(
            attribute,
            wording,
            tuple(message.strip() for message in messages.split(" > ")),
            _values(current),
            _values(past),
            question,
        )
        for attribute, wording, messages, current, past, question in fields
    ]


def read_sentences(name: str) -> Iterator[tuple[str, list[str], set[tuple[str, str]]]]:
    """Yield a family, its messages in order, and the attribute and values that the last message states."""
    lines = (_HISTORIES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line[0] != "#":
            family, said, expected = (part.strip() for part in line.split("|"))
            attribute, _, value = expected.partition("=")
            yield family, said.split(" > "), {(attribute, value)} if value else set()


def _values(text: str) -> frozenset[str]:
    return frozenset(value.strip().lower() for value in text.split(";") if value.strip())


async def learn(
    stack: Stack,
    run: Callable[[Learning], Callable[[JobRun], datetime | None]] = lambda task: task.run,
    mind: Mind | None = None,
    now: datetime | None = None,
) -> dict[int, str | None]:
    """Learn from every due conversation, and update topic pages; return how each conversation's job ended."""
    return await asyncio.to_thread(_learn, stack, run, mind, now or datetime.now(UTC))


def _learn(
    stack: Stack,
    run: Callable[[Learning], Callable[[JobRun], datetime | None]],
    mind: Mind | None,
    now: datetime,
) -> dict[int, str | None]:
    with sleeper(stack, mind, now) as shop:
        # Facts make their topic pages due; tests that write facts directly make nothing due, so schedule here.
        schedule_topics(shop.database)
        task = Task("learn", with_topics(shop, run(Learning(shop))), pauses_s=(0.0,))
        ended = work(stack.database, shop.database, task, now + AT_ONCE)
    with stack.database.connect() as conn:
        followed = conn.execute("SELECT id FROM jobs WHERE subject = 'topics'").fetchall()
    for (job_id,) in followed:
        assert ended.pop(job_id, "done") in ("done", "pending")
    return ended


def day(number: int) -> datetime:
    """Return a past moment; later for a higher number."""
    return datetime.now(UTC) - timedelta(days=30 - number)


async def say(
    stack: Stack, text: str, at: int, *, subject: str = "emi", session: str = "s", **fields: object
) -> str:
    """Append a message on a day; return its id."""
    stamp = Timestamp()
    stamp.FromDatetime(day(at))
    request = append_request(message(text, create_time=stamp, **fields), session_key=session)
    request.conversation.CopyFrom(target(session, subject=subject))
    return (await stack.ingest.AppendMessages(request)).messages[0].message_id


async def told(stack: Stack, subject: str = "emi") -> dict[str, set[str]]:
    """Return the values of a subject's profile by attribute."""
    response = await stack.fact_queries.GetProfile(profile.GetProfileRequest(subject=subject))
    values: dict[str, set[str]] = {}
    for fact in response.facts:
        values.setdefault(fact.attribute, set()).add(fact.value.lower())
    return values


async def history_of(stack: Stack, attribute: str) -> list[fact_pb2.Fact]:
    request = profile.GetFactHistoryRequest(subject="emi", attribute=attribute)
    return list((await stack.fact_queries.GetFactHistory(request)).facts)

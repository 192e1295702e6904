"""Learning done on the spot, as workers do it, and the histories that it is measured by."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from everword.jobs.task import JobRun, Task
from everword_compactor.learning.job import Learning
from support.compaction import AT_ONCE, work, worker_context
from support.stack import Stack

_HISTORIES = Path(__file__).parent / "histories"


@dataclass(frozen=True)
class History:
    """What somebody says of one attribute, one day after another."""

    attribute: str
    #: Which statement is worded as the question is: `old`, `alike` or `new`.
    wording: str
    messages: tuple[str, ...]
    #: What holds at the end, and what held before, in small letters.
    current: frozenset[str]
    past: frozenset[str]
    question: str


def read_histories(name: str) -> list[History]:
    """Return the histories of one half: `building`, or `held_out`, which nothing was built on."""
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


def _values(text: str) -> frozenset[str]:
    return frozenset(value.strip().lower() for value in text.split(";") if value.strip())


async def learn(
    stack: Stack,
    run: Callable[[Learning], Callable[[JobRun], datetime | None]] = lambda task: task.run,
) -> dict[int, str | None]:
    """Learn from every conversation that is due; returns how each job ended."""
    return await asyncio.to_thread(_learn, stack, run)


def _learn(
    stack: Stack, run: Callable[[Learning], Callable[[JobRun], datetime | None]]
) -> dict[int, str | None]:
    with worker_context(stack.database) as shop:
        task = Task("learn", run(Learning(shop)), pauses_s=(0.0,))
        return work(stack.database, shop.database, task, datetime.now(UTC) + AT_ONCE)


def day(number: int) -> datetime:
    """Return a moment of the past; later for a higher number."""
    return datetime.now(UTC) - timedelta(days=30 - number)

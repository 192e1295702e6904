"""One trial of a system: import, questions right after it, questions at rest, and a restart with the stored data."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from everword.bench.dataset import Query
from everword.bench.peers.processes import pss_mb, wait_until_idle
from everword.bench.peers.system import PeerConversation, Session, System

#: Receives a description of the trial's current step.
Say = Callable[[str], None]


@dataclass
class Trial:
    """The figures of one trial; lists have an item for each question."""

    version: str = ""
    messages: int = 0
    import_s: float = 0.0
    after_import_s: list[float] = field(default_factory=list)
    idle_resident_s: list[float] = field(default_factory=list)
    #: (ranked ids, relevant ids) of each question.
    rankings: list[tuple[tuple[str, ...], frozenset[str]]] = field(default_factory=list)
    #: Seconds from the import to the questions at rest.
    idle_time_s: float = 0.0
    memory_mb: float = 0.0
    #: First question to processes that just became ready.
    first_question_s: float = 0.0
    #: From the start of the processes to the first answer.
    start_to_answer_s: float = 0.0


async def measure_import(
    system: System, form: str, folder: Path, conversations: Sequence[PeerConversation], say: Say
) -> Trial:
    """Import alone, into an empty folder."""
    trial = Trial()
    say("starting")
    async with system.started(folder, form) as session:
        await _import(session, conversations, trial, say)
    return trial


async def measure_all(
    system: System, form: str, folder: Path, conversations: Sequence[PeerConversation], say: Say
) -> Trial:
    """Measure everything, in an empty folder. No question is asked twice: Everword keeps vectors of questions.

    The first question of the first conversation waits for the start; of the others, those with even numbers are asked
    right after the import, and those with odd numbers at rest.
    """
    trial = Trial()
    asked = [(each.space, query) for each in conversations for query in each.questions]
    (first_space, first), rest = asked[0], asked[1:]
    say("starting")
    async with system.started(folder, form) as session:
        await _import(session, conversations, trial, say)
        say("asking right after the import")
        await _ask(session, rest[::2], trial, trial.after_import_s)
        say("waiting for rest")
        trial.idle_time_s = await wait_until_idle(session.pid)
        say("asking at rest")
        await _ask(session, rest[1::2], trial, trial.idle_resident_s)
        trial.memory_mb = await asyncio.to_thread(pss_mb, session.pid)
    say("starting again")
    started = time.perf_counter()
    async with system.started(folder, form) as session:
        elapsed: list[float] = []
        await _ask(session, [(first_space, first)], trial, elapsed)
        trial.start_to_answer_s = time.perf_counter() - started
        [trial.first_question_s] = elapsed
    return trial


async def _import(
    session: Session, conversations: Sequence[PeerConversation], trial: Trial, say: Say
) -> None:
    say("importing")
    trial.version = session.version
    trial.messages = sum(len(each.dataset.entries) for each in conversations)
    started = time.perf_counter()
    await session.import_messages(conversations)
    trial.import_s = time.perf_counter() - started


async def _ask(
    session: Session, asked: Sequence[tuple[str, Query]], trial: Trial, times: list[float]
) -> None:
    for space, query in asked:
        ranking = await session.search(space, query.text)
        times.append(ranking.seconds)
        trial.rankings.append((ranking.ids, query.relevant))

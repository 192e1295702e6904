"""Texts that break the model are given up after three attempts, and all other work continues."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from everword.domain.periods import Calendar
from everword.jobs.task import MAX_ATTEMPTS
from everword.model_server import breaker
from support.calendar_calls import at, said
from support.calendar_checks import WEEK, YEAR, check_calendar
from support.calls import append
from support.dag import DAY, LEAF
from support.faithful_replies import faithful, level_of
from support.outages import ASKING, BREAKER_S, crew, job_states
from support.scripted_chat import Reply, ScriptedChat, cut_off, status, user_text
from support.stack import Stack
from support.tool_calls import path_in, queued, stored_sentences, tool_call

UTC_CALENDAR = Calendar("UTC", 0)
BREAKS = {
    "the server fails": status(500),
    "the server refuses": status(400),
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedChat]:
    monkeypatch.setattr(breaker, "PAUSE_S", BREAKER_S)
    with ScriptedChat(context_tokens=32_768).running() as server:
        yield server


async def _work(stack: Stack, server: ScriptedChat, bad: Reply) -> None:
    """Execute all work with a model that fails on one word."""
    server.reply = lambda request: bad if "poison" in user_text(request) else faithful(request)

    def run() -> None:
        with crew(stack.database, server, pauses_s=()) as workers:
            for task in ASKING:
                workers.drain(task)

    await asyncio.to_thread(run)


def _attempts(stack: Stack, task: str) -> list[tuple[int, str]]:
    """Return attempts and error of failed jobs."""
    with stack.database.connect() as conn:
        return conn.execute(
            "SELECT attempts, error FROM jobs WHERE task = %s AND state = 'failed'", (task,)
        ).fetchall()


@pytest.mark.parametrize("bad", BREAKS.values(), ids=BREAKS.keys())
async def test_conversation_that_breaks_the_model_is_parked_and_others_are_summarised(
    stack: Stack, server: ScriptedChat, bad: Reply
) -> None:
    """Its day is parked, too: the day's other instance, other days, and all levels above are summarised without it."""
    for day, words in (("13", "figs"), ("14", "poison"), ("15", "pears")):
        entries = [
            said(f"2026-04-{day}T1{n}:00", f"A crate of {words}, {n}.", instance=words)
            for n in range(4)
        ]
        await append(stack, *entries, session_key=words)
    await append(stack, said("2026-04-14T12:30", "A crate of plums.", instance="plums"))
    await _work(stack, server, bad)
    dag = check_calendar(stack.database, UTC_CALENDAR)
    assert job_states(stack.database, "compact") == {"done": 3, "failed": 1}
    assert len(dag.of_level(LEAF)) == 2 + 2 + 1
    assert job_states(stack.database, "roll-up")["failed"] == 1
    assert {node.instance for node in dag.of_level(DAY)} == {"figs", "plums", "pears"}
    assert [node.message_count for node in dag.of_level(WEEK, YEAR)] == [9, 9]
    for task in ("compact", "roll-up"):
        [(attempts, error)] = _attempts(stack, task)
        assert attempts == 3
        assert error


@pytest.mark.parametrize("bad", BREAKS.values(), ids=BREAKS.keys())
async def test_tool_call_that_breaks_the_model_is_parked_and_others_are_described(
    stack: Stack, server: ScriptedChat, bad: Reply
) -> None:
    """The calls are claimed together, and requested concurrently. Later calls are unaffected, too."""
    paths = ["poison.rs", *(f"{n}.rs" for n in range(5))]
    for path in paths:
        await append(stack, tool_call(path, create_time=at("2026-04-14T20:00")), session_key=path)
    await _work(stack, server, bad)
    assert len(stored_sentences(stack.database)) == 5
    [(state, attempts, error)] = queued(stack.database).values()
    assert (state, attempts) == ("failed", 3)
    assert error
    await append(stack, *[tool_call(f"later{n}.rs") for n in range(3)], session_key="later")
    server.requests.clear()
    await _work(stack, server, bad)
    assert len(stored_sentences(stack.database)) == 8
    asked = [path_in(one) for one in server.requests if level_of(one) == "tool-sentence"]
    assert sorted(asked) == [f"later{n}.rs" for n in range(3)]
    assert job_states(stack.database, "tool-sentences")["failed"] == 0


async def test_roll_up_stays_pending_when_one_instance_breaks_the_model_during_an_outage(
    stack: Stack, server: ScriptedChat
) -> None:
    """One instance of a day gets useless answers, and then the model is unavailable for the other: the job waits."""
    entries = [
        said("2026-04-14T12:00", "A crate of poison.", instance="a"),
        said("2026-04-14T13:00", "A crate of figs.", instance="b"),
    ]
    await append(stack, *entries)
    server.reply = lambda request: cut_off() if "poison" in user_text(request) else status(503)

    def run() -> None:
        with crew(stack.database, server, pauses_s=()) as workers:
            for _ in range(MAX_ATTEMPTS + 1):
                assert set(workers.round("roll-up").values()) == {"pending"}
            server.reply = faithful
            assert workers.drain("roll-up") == {"done"}

    await asyncio.to_thread(run)
    assert len(check_calendar(stack.database, UTC_CALENDAR).of_level(DAY)) == 2

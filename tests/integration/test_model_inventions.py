"""A model's inventions are detected at each level; faithful text passes, in the configured voice."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from everword.v1 import admin_service_pb2 as admin
from support.calendar_calls import at, said, update_settings
from support.calls import append
from support.dag import DAY, check_dag
from support.faithful_replies import level_of
from support.outages import ASKING, Fate, crew, in_review, question
from support.scripted_chat import Body, Reply, ScriptedChat, answer, schema_of, user_text
from support.stack import Stack
from support.tool_calls import queued, stored_sentences, tool_call

CALENDAR = {"day", "week", "month", "year"}
#: Invented values, by the description in the follow-up request to the model.
INVENTIONS = {"a commit": "7f3a9c3", "a date": "17 april 2026", "a number": "213"}
NEVER = 10**9
Spoil = Callable[[Any], Any]


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat(context_tokens=32_768).running() as server:
        yield server


async def _live(stack: Stack, *instances: str) -> str:
    """Store a message of each instance, and a tool call; return the call's id."""
    entries = [
        said(
            f"2026-04-14T1{n}:00",
            f"We merged PR-48{n} as 7f3a9c2 on 2026-04-12, with 312 lines.",
            instance=instance,
        )
        for n, instance in enumerate(instances)
    ]
    await append(stack, *entries)
    result = "PR-482 7f3a9c2 2026-04-12 312"
    call = tool_call("src/a.rs", tool_result=result, create_time=at("2026-04-14T20:00"))
    stored = await append(stack, call, session_key="tools")
    return str(stored.messages[0].message_id)


async def _work(stack: Stack, server: ScriptedChat, fate: Fate) -> None:
    server.reply = fate

    def run() -> None:
        with crew(stack.database, server, read_timeout_s=5.0) as workers:
            for task in ASKING:
                workers.drain(task)

    await asyncio.to_thread(run)
    check_dag(stack.database)


def _spoilt(spoil: Spoil, levels: set[str] | None = None) -> Callable[[Body, Any], Reply]:
    """Return a model with spoilt answers, at the given levels or all."""

    def reply(request: Body, said: Any) -> Reply:
        wanted = levels is None or level_of(request) in levels
        return answer(spoil(deepcopy(said)) if wanted else said)

    return reply


def _with(words: str) -> Spoil:
    """Return a function that inserts words into an answer of any level."""

    def spoil(said: Any) -> Any:
        if "sentence" in said:
            said["sentence"] = said["sentence"].removesuffix(".") + f" of {words}."
        elif "bullets" in said:
            said["bullets"][0]["text"] += f" It was {words}."
        else:
            said["summary"] += f"\n- It was {words}."
        return said

    return spoil


def _asked(server: ScriptedChat) -> dict[str, list[str]]:
    """Return the requests in order, by question."""
    found: dict[str, list[str]] = {}
    for request in server.requests:
        if schema_of(request):
            found.setdefault(question(request), []).append(user_text(request))
    return found


@pytest.mark.parametrize("invented", INVENTIONS.values(), ids=INVENTIONS.keys())
async def test_invention_is_reported_to_the_model_once_and_a_faithful_retry_passes(
    stack: Stack, server: ScriptedChat, invented: str
) -> None:
    call = await _live(stack, "desk", "desk")
    await _work(stack, server, Fate(_spoilt(_with(invented)), times=1))
    assert in_review(stack.database) == []
    assert queued(stack.database) == {}
    assert stored_sentences(stack.database)[call][0].startswith("Consulted src/a.rs for")
    # Two leaves (of messages and of a call), two days, week, month, year, and a sentence.
    assert len(_asked(server)) == 8
    for asked in _asked(server).values():
        first, second = asked
        # Whole words only, because the question contains ids, which begin with the time.
        words = re.compile(rf"\b{invented}\b")
        assert not words.search(first.lower())
        assert words.search(second.lower())


@pytest.mark.parametrize("invented", INVENTIONS.values(), ids=INVENTIONS.keys())
async def test_repeated_invention_is_replaced_by_words_of_the_sources(
    stack: Stack, server: ScriptedChat, invented: str
) -> None:
    call = await _live(stack, "desk", "desk")
    await _work(stack, server, Fate(_spoilt(_with(invented)), times=NEVER))
    nodes = check_dag(stack.database).nodes.values()
    assert len(nodes) == 7
    for node in nodes:
        assert invented not in node.content
    assert invented not in stored_sentences(stack.database)[call][0]
    assert in_review(stack.database) == []
    asked = Counter(map(level_of, server.requests))
    # Two nodes and a sentence, each with one retry.
    assert (asked["leaf"], asked["day"], asked["tool-sentence"]) == (4, 4, 2)


async def test_branch_is_not_built_from_the_invention_of_a_leaf(
    stack: Stack, server: ScriptedChat
) -> None:
    await append(stack, *[f"Crate {n} went to dock-{n}." for n in range(10)])
    await _work(stack, server, Fate(_spoilt(_with("4711"), {"leaf"}), times=NEVER))
    [branch] = [request for request in server.requests if level_of(request) == "branch"]
    assert "4711" not in user_text(branch)
    assert "Crate 8 went to dock-8." in user_text(branch)


# Tags


@pytest.mark.parametrize(("field", "name"), [("chats", "c9"), ("via", "i9")])
async def test_day_bullet_with_unknown_name_is_requested_again(
    stack: Stack, server: ScriptedChat, field: str, name: str
) -> None:
    def misname(said: Any) -> Any:
        said["bullets"][0][field] = [name]
        return said

    tag = f"[{'chat' if field == 'chats' else 'via'}:{name}]"
    await _live(stack, "desk")
    fate = Fate(_spoilt(misname, {"day"}), times=1)
    await _work(stack, server, fate)
    assert in_review(stack.database) == []
    days = [asked for asked in _asked(server).values() if "Short names of" in asked[0]]
    assert len(days) == 2
    for first, second in days:
        assert tag not in first
        assert tag in second
    fate.times = NEVER
    await append(
        stack,
        said("2026-04-14T15:00", "We moved the release of PR-490 to Friday.", instance="desk"),
    )
    await _work(stack, server, fate)
    assert in_review(stack.database) == []
    days = check_dag(stack.database).of_level(DAY)
    assert any("We moved the release of PR-490 to Friday." in day.content for day in days)
    assert all(tag not in day.content for day in days)


async def test_bullets_without_instance_need_no_tag_at_any_level(
    stack: Stack, server: ScriptedChat
) -> None:
    """A week combines messages with and without an instance, so both kinds of bullets are right above it."""
    await _live(stack, "desk", "")
    await _work(stack, server, Fate(_spoilt(lambda said: said)))
    assert in_review(stack.database) == []
    nodes = [node for node in check_dag(stack.database).nodes.values() if node.level > DAY]
    assert len(nodes) == 3
    for node in nodes:
        tagged = {line for line in node.content.splitlines() if line.endswith("[via:desk]")}
        assert len(tagged) == 1
        assert tagged < set(node.content.splitlines())


# Voices


async def test_voice_is_in_each_summarising_prompt_and_in_no_other(
    stack: Stack, server: ScriptedChat
) -> None:
    voice = admin.Voice(identity="I am Lumen.", user_name="Emi", pronouns="she/her")
    await update_settings(stack, voice=voice)
    await _live(stack, "desk")
    # The second request of each, with the complaint, too.
    await _work(stack, server, Fate(_spoilt(_with("4711")), times=1))
    voiced: dict[str, int] = {}
    for request in server.requests:
        system = request["messages"][0]["content"]
        level = level_of(request)
        if level not in {"leaf", *CALENDAR}:
            assert "Lumen" not in system
            continue
        assert system.startswith("I am Lumen.\n")
        assert "The user is Emi (she/her)" in system
        assert "first person" in system
        voiced[level] = voiced.get(level, 0) + 1
    assert voiced == {"leaf": 4, "day": 4, "week": 2, "month": 2, "year": 2}

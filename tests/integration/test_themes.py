"""Themes: topics of a namespace, computed at night from a sample of its memories."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from everword.chat.blocking import BlockingChat
from everword.chat.settings import ChatSettings
from everword.jobs.task import Task
from everword.v1 import fact_query_service_pb2 as pb
from everword_compactor.learning.job import Learning
from everword_compactor.themes import job as themes
from everword_compactor.themes.cluster import count_clusters, find_clusters
from everword_compactor.themes.job import seconds_until_night, with_themes
from everword_compactor.themes.label import distinctive_words, is_supported_label
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append
from support.command_line import everword
from support.compaction import work, worker_context
from support.databases import DatabaseUnderTest
from support.scripted_chat import Body, Reply, ScriptedChat, answer, status, user_text
from support.stack import Stack, running_stack

CATS = [
    f"The {which} cat sleeps on the sofa and purrs after its {what}."
    for which in ("grey", "old", "fat")
    for what in ("milk", "nap")
]
INVOICES = [
    f"The invoice of the {whose} was paid by bank transfer in {month}."
    for whose in ("plumber", "baker")
    for month in ("May", "June", "July")
]
GARDEN = [
    f"We planted {what} in the garden and watered them {often}."
    for what in ("tulips", "roses", "beans")
    for often in ("daily", "twice")
]


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


async def by_night(stack: Stack, chat: ChatSettings | None = None) -> None:
    """Run the jobs of `learn` until two nights from now."""

    def run() -> None:
        with worker_context(stack.database) as shop, ExitStack() as resources:
            if chat:
                asking = resources.enter_context(closing(BlockingChat(chat)))
                shop = replace(shop, chat=asking)
            task = Task("learn", with_themes(shop, Learning(shop).run), pauses_s=(0.0,))
            until = datetime.now(UTC) + timedelta(days=2)
            for _ in range(2):
                ended = work(stack.database, shop.database, task, until)
                assert set(ended.values()) <= {"done"}

    await asyncio.to_thread(run)


async def listed(stack: Stack, **fields: Any) -> list[pb.Theme]:
    response = await stack.fact_queries.ListThemes(pb.ListThemesRequest(), **fields)
    return list(response.themes)


def test_find_clusters_recovers_known_groups_deterministically() -> None:
    rng = np.random.default_rng(3)
    middles = rng.normal(size=(4, 32))
    vectors = np.concatenate([middle + 0.1 * rng.normal(size=(12, 32)) for middle in middles])
    found = find_clusters(vectors)
    assert count_clusters(48) == 4
    groups = [{place // 12 for place in each.members} for each in found]
    assert all(len(group) == 1 for group in groups)
    assert sorted(place for each in found for place in each.members) == list(range(48))
    assert [each.members for each in find_clusters(vectors)] == [each.members for each in found]
    assert find_clusters(vectors[:5]) == []
    same = find_clusters(np.ones((50, 8)))
    assert sum(len(each.members) for each in same) == 50
    assert find_clusters(np.zeros((7, 8)))[0].members
    assert [count_clusters(n) for n in (6, 18, 50, 800, 100_000)] == [3, 3, 5, 20, 20]


def test_distinctive_words_and_label_check_separate_themes() -> None:
    words = distinctive_words([CATS, INVOICES, GARDEN])
    for own, telling in zip(words, ("purrs", "invoice", "watered"), strict=True):
        assert own[0] == telling
        assert len(own) <= 8
    assert is_supported_label("Sleepy cats", CATS, [])
    assert not is_supported_label("Quantum finance", CATS, ["purrs"])
    assert not is_supported_label("cat " * 40, CATS, ["cat"])


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_seconds_until_night_uses_the_namespace_time_zone(zone: str) -> None:
    now = datetime(2026, 4, 18, 12, 30, tzinfo=UTC)
    due = now + timedelta(seconds=seconds_until_night(now, zone))
    assert due.astimezone(ZoneInfo(zone)).hour == 5
    assert timedelta(0) < due - now <= timedelta(days=1)


async def test_themes_are_computed_at_night_and_only_after_new_messages(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await listed(stack) == []
    for key, texts in (("cats", CATS), ("invoices", INVOICES), ("garden", GARDEN)):
        await append(stack, *texts, session_key=key)
    await embed_everything(stack)
    await by_night(stack)
    found = await listed(stack)
    assert [round(each.share * 18) for each in found] == [6, 6, 6]
    words = {word for each in found for word in each.words}
    assert {"cat", "invoice", "garden"} <= words
    assert all(len(each.memory_ids) == 6 and not each.model for each in found)
    assert all(each.label == ", ".join(list(each.words)[:3]) for each in found)
    # A night without new messages changes nothing; a new day replaces all themes.
    await by_night(stack)
    assert await listed(stack) == found
    await append(
        stack, *(f"The train to Porto leaves at {n}." for n in range(9)), session_key="trains"
    )
    await embed_everything(stack)
    monkeypatch.setattr(themes, "NEWEST", 12)
    monkeypatch.setattr(themes, "OTHERS", 6)
    await by_night(stack)
    changed = await listed(stack)
    assert {each.id for each in changed}.isdisjoint(each.id for each in found)
    # A sample of the new memories, and of some of the others.
    assert sum(len(each.memory_ids) for each in changed) == 18
    assert any("train" in each.words or "porto" in each.words for each in changed)
    shown = await everword(stack, "themes")
    assert changed[0].label in shown.output
    await make_namespaces(stack, "theirs")
    assert await listed(stack, metadata=within("theirs")) == []


async def test_model_label_of_theme_is_used_only_if_supported_by_its_memories(stack: Stack) -> None:
    for key, texts in (("cats", CATS), ("invoices", INVOICES), ("garden", GARDEN)):
        await append(stack, *texts, session_key=key)
    await embed_everything(stack)

    def label(request: Body) -> Reply:
        text = user_text(request)
        if "cat" in text:
            return answer({"label": "Sleepy cats\nat home"})
        return answer({"label": "Quantum finance"}) if "invoice" in text else status(400)

    with ScriptedChat().running() as server:
        server.reply = label
        await by_night(stack, ChatSettings(server.url, server.model))
    found = {each.model: each.label for each in await listed(stack)}
    assert found[server.model] == "Sleepy cats at home"
    words = [each for each in await listed(stack) if not each.model]
    assert len(words) == 2
    assert all(each.label == ", ".join(list(each.words)[:3]) for each in words)

"""Summaries of the calendar, and significant records, are read by stable names."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as search
from support.calendar_calls import said, update_settings
from support.calls import append
from support.command_line import everword as command_line
from support.compaction import compact_everything, roll_up_everything
from support.refusals import refused
from support.stack import Stack
from support.summaries import listed

LATER = datetime(2025, 2, 1, tzinfo=UTC)
PERIODS = {"2024-03-05", "2024-03-05/phone", "2024-W10", "2024-03", "2024"}


async def record(stack: Stack, content: str, title: str = "", hour: int = 12) -> str:
    request = ingest.RecordSignificantRequest(content=content, title=title, instance="phone")
    request.occur_time.FromDatetime(datetime(2024, 3, 5, hour, tzinfo=UTC))
    return (await stack.ingest.RecordSignificant(request)).summary_id


async def names(stack: Stack) -> dict[str, str]:
    found = {each.name: each.id for each in await listed(stack) if each.name}
    assert len(set(found.values())) == len(found)
    return found


async def test_get_memory_finds_summary_by_its_name(stack: Stack) -> None:
    await update_settings(stack, time_zone="Asia/Tokyo")
    await append(stack, said("2024-03-05T03:00"), said("2024-03-05T04:00", instance="phone"))
    heron = await record(stack, "We named the heron Archibald.", "The  heron\n")
    await record(stack, "And again.", "The heron")
    # In Tokyo this is six in the morning of the next day; without a title, the first words are its name.
    await record(stack, "Long ago\nwe " + "walked " * 40, hour=21)
    await record(stack, " \n")
    await roll_up_everything(stack, now=LATER)
    await compact_everything(stack)
    found = await names(stack)
    assert found.keys() >= PERIODS
    assert found["2024-03-05 · The heron"] == heron
    others = sorted(found.keys() - PERIODS)
    assert len(others) == 4
    assert others[0] == "2024-03-05 · The heron"
    assert others[1].startswith("2024-03-05 · The heron · ")
    assert others[1].endswith(found[others[1]][-12:])
    assert others[2] == "2024-03-05 · significant"
    assert others[3].startswith("2024-03-06 · Long ago we walked walked")
    for name, id_ in found.items():
        asked = search.GetMemoryRequest(name=name)
        summary = (await stack.search.GetMemory(asked)).summary
        assert (summary.id, summary.name) == (id_, name)
        memory = await stack.search.GetMemory(search.GetMemoryRequest(name=name))
        assert (memory.memory.id, memory.memory.content) == (id_, summary.content)
    assert not any(each.name for each in await listed(stack) if each.conversation_id)
    for name in ("2024", "2024-03-05/phone"):
        shown = await command_line(stack, "summaries", "show", name)
        assert (shown.status, found[name] in shown.output) == (0, True), shown.errors

    # The name stays, in another time zone and after a rewrite.
    await update_settings(stack, time_zone="America/New_York")
    await append(stack, said("2024-03-05T08:00", "Late news.", instance="phone"))
    await roll_up_everything(stack, now=LATER)
    assert await names(stack) == found


async def test_get_memory_requires_valid_id_or_known_name(stack: Stack) -> None:
    for fields in ({}, {"id": "2024"}, {"name": "x" * 601}):
        wanted: dict[str, Any] = {**fields}
        id_ = wanted.pop("id", "")
        request = search.GetMemoryRequest(**wanted)
        if id_:
            request.memory_id = id_
        refusal = await refused(stack.search.GetMemory(request))
        assert refusal.reason == "VALIDATION_FAILED", fields
    for name in ("2024-W10", "2024-03-05/", "' OR true --", "%"):
        refusal = await refused(stack.search.GetMemory(search.GetMemoryRequest(name=name)))
        assert refusal.reason == "MEMORY_NOT_FOUND"

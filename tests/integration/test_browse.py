"""Browsing by time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from google.protobuf import timestamp_pb2

from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from support.calls import append, message
from support.refusals import refused
from support.stack import Stack

START = datetime(2026, 3, 1, tzinfo=UTC)


def at(hours: int) -> timestamp_pb2.Timestamp:
    stamp = timestamp_pb2.Timestamp()
    stamp.FromDatetime(START + timedelta(hours=hours))
    return stamp


async def walk(stack: Stack, request: pb.BrowseRequest) -> list[list[str]]:
    pages: list[list[str]] = []
    while True:
        page = await stack.search.Browse(request)
        pages.append([memory.content for memory in page.memories])
        request.page_token = page.next_page_token
        if not request.page_token:
            return pages


async def test_browse_sorts_by_message_time_and_not_by_storage_order(stack: Stack) -> None:
    for hours in (3, 1, 2):
        await append(stack, message(f"hour {hours}", create_time=at(hours)))
    page = await stack.search.Browse(pb.BrowseRequest())
    assert [memory.content for memory in page.memories] == ["hour 3", "hour 2", "hour 1"]
    oldest = await stack.search.Browse(pb.BrowseRequest(order=memory_pb2.ORDER_OLDEST_FIRST))
    assert [memory.content for memory in oldest.memories] == ["hour 1", "hour 2", "hour 3"]


async def test_browse_returns_newest_50_memories_by_default(stack: Stack) -> None:
    await append(stack, *(message(f"hour {n}", create_time=at(n)) for n in range(300)))
    page = await stack.search.Browse(pb.BrowseRequest())
    assert [memory.content for memory in page.memories] == [
        f"hour {n}" for n in range(299, 249, -1)
    ]


@pytest.mark.parametrize("order", [memory_pb2.ORDER_NEWEST_FIRST, memory_pb2.ORDER_OLDEST_FIRST])
async def test_browse_pages_list_each_memory_once_with_equal_times(
    stack: Stack, order: memory_pb2.Order.ValueType
) -> None:
    await append(stack, *(message(f"{n}", create_time=at(n // 10)) for n in range(47)))
    pages = await walk(stack, pb.BrowseRequest(order=order, page_size=7))
    numbers = [int(content) for page in pages for content in page]
    assert sorted(numbers) == list(range(47))
    hours = [number // 10 for number in numbers]
    assert hours == sorted(hours, reverse=order == memory_pb2.ORDER_NEWEST_FIRST)
    assert [len(page) for page in pages] == [7] * 6 + [5]


async def test_browse_lists_message_with_many_passages_once(stack: Stack) -> None:
    await append(stack, "sentence. " * 5000, "short")
    assert await walk(stack, pb.BrowseRequest()) == [["short", ("sentence. " * 5000)[:2000]]]


async def test_browse_sorts_years_1_and_9999(stack: Stack) -> None:
    first, last = timestamp_pb2.Timestamp(), timestamp_pb2.Timestamp()
    first.FromJsonString("0001-01-01T00:00:00Z")
    last.FromJsonString("9999-12-31T23:59:59Z")
    await append(
        stack, message("first", create_time=first), message("last", create_time=last), "now"
    )
    assert await walk(stack, pb.BrowseRequest(page_size=1)) == [["last"], ["now"], ["first"]]
    oldest = pb.BrowseRequest(page_size=1, order=memory_pb2.ORDER_OLDEST_FIRST)
    assert await walk(stack, oldest) == [["first"], ["now"], ["last"]]


async def test_browse_refuses_page_token_of_another_request(stack: Stack) -> None:
    await append(stack, "one", "two")
    page = await stack.search.Browse(pb.BrowseRequest(page_size=1))
    changed = pb.BrowseRequest(page_token=page.next_page_token, order=memory_pb2.ORDER_OLDEST_FIRST)
    assert (await refused(stack.search.Browse(changed))).reason == "PAGE_TOKEN_INVALID"

"""A question that names a time ranks events of that time first, with and without a cache."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import search_service_pb2 as pb
from everword.v1.memory_pb2 import MemoryFilter
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.background import embed_everything
from support.cached_search import asked, reference_search, warm_up, was_in_memory
from support.calls import append, message
from support.corpus import moment, search_request
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: Messages sent daily from 1 January to 19 July; their content refers to other days.
OFTEN, DAYS = "The cooking class was about cooking bread on day", 200
THEN = {
    "2023-05-02T18:00": "We made soup when I went to the class.",
    "2023-05-03T18:00": "There was a cooking show on television.",
    "2023-05-16T23:30": "The late bread was burnt.",
}
#: A Wednesday; two weeks earlier is the week of 1 May.
ASKED = "2023-05-17T12:00+00:00"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def searches(postgres_url: str) -> AsyncIterator[tuple[Stack, SearchServiceStub]]:
    """A stack with a cache, in Berlin, and a search of the same database without one."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            settings = admin.NamespaceSettings(time_zone="Europe/Berlin")
            await stack.admin.UpdateNamespace(
                admin.UpdateNamespaceRequest(
                    namespace=admin.Namespace(name="default", settings=settings),
                    update_mask=FieldMask(paths=["settings.time_zone"]),
                )
            )
            first = datetime.fromisoformat("2023-01-01T12:00+00:00")
            said = [
                message(f"{OFTEN} {n}.", create_time=moment((first + timedelta(n)).isoformat()))
                for n in range(DAYS)
                if not 119 <= n < 137
            ]
            said += [message(text, create_time=moment(f"{at}+00:00")) for at, text in THEN.items()]
            await append(stack, *said)
            await embed_everything(stack)
            await warm_up(stack)
            async with reference_search(database, stack.addresses["embedder"]) as reference:
                yield stack, reference


async def found(searches: tuple[Stack, SearchServiceStub], query: str, **fields: Any) -> list[str]:
    """Return the first hits, which the cache and the database must agree on."""
    stack, reference = searches
    fields = {"reference_time": moment(ASKED), **fields}
    request = search_request(query, "HYBRID", page_size=2, **fields)
    response, statements = await asked(stack.search, request)
    assert was_in_memory(statements)
    again = await reference.Search(request)
    contents = [result.memory.content for result in response.results]
    assert contents == [result.memory.content for result in again.results]
    return contents


WEEK = {THEN["2023-05-02T18:00"], THEN["2023-05-03T18:00"]}


@pytest.mark.parametrize(
    "when",
    ["two weeks ago", "in 2023-W18", "between 2023-05-01 and 2023-05-07", "on May 2nd, 2023"],
)
async def test_query_with_a_time_ranks_events_of_that_time_first(
    searches: tuple[Stack, SearchServiceStub], when: str
) -> None:
    assert set(await found(searches, f"What was the cooking class about {when}?")) == WEEK


async def test_relative_days_use_namespace_time_zone_and_reference_time(
    searches: tuple[Stack, SearchServiceStub],
) -> None:
    """Half past eleven in UTC is already the next day in Berlin."""
    burnt = THEN["2023-05-16T23:30"]
    assert (await found(searches, "Which bread did we bake today?"))[0] == burnt
    next_day = moment("2023-05-18T12:00+00:00")
    query = "Which bread did we bake yesterday?"
    assert (await found(searches, query, reference_time=next_day))[0] == burnt
    # Without a reference time, relative times refer to now.
    stack, _ = searches
    response = await stack.search.Search(search_request(query, "HYBRID", page_size=1))
    assert response.results[0].memory.content.startswith(OFTEN)


async def test_query_time_excludes_nothing_and_filter_still_applies(
    searches: tuple[Stack, SearchServiceStub],
) -> None:
    elsewhere = MemoryFilter(start_time=moment("2023-06-01T00:00+00:00"))
    query = "What was the cooking class about two weeks ago?"
    contents = await found(searches, query, filter=elsewhere)
    assert len(contents) == 2
    assert all(each.startswith(OFTEN) for each in contents)


async def test_query_time_keeps_paging_and_relevance(
    searches: tuple[Stack, SearchServiceStub],
) -> None:
    """A time in the query changes the order, but not the relevance of a result."""
    stack, _ = searches
    query = "What was the cooking class about two weeks ago?"
    request = search_request(query, "HYBRID", page_size=3, reference_time=moment(ASKED))
    once = search_request(query, "HYBRID", page_size=9, reference_time=moment(ASKED))
    results: list[pb.SearchResult] = []
    for _ in range(3):
        page = await stack.search.Search(request)
        results += page.results
        request.page_token = page.next_page_token
    everything = list((await stack.search.Search(once)).results)
    assert [each.memory.id for each in results] == [each.memory.id for each in everything]
    scores = [each.score for each in everything]
    assert scores == sorted(scores, reverse=True)
    assert max(each.relevance for each in everything[:2]) < everything[-1].relevance

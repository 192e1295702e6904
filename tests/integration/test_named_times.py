"""Names of times in filters, and events instead of dates in questions, from the command line and by RPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import grpc
import pytest
import pytest_asyncio

from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword.v1.context_service_pb2 import BuildContextRequest
from support.background import embed_everything
from support.calls import append, message
from support.corpus import moment
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: The pub quiz of each week; the wedding lies between.
QUIZ = "Pub quiz tonight with the usual team, our name was {} and we came in {} after a long fight about rivers."
WEEKS = [
    ("The Owls", "third"),
    ("The Ferrets", "first"),
    ("The Herons", "last"),
    ("The Otters", "second"),
]
FIRST = datetime(2023, 5, 4, 20, tzinfo=UTC)
WEDDING = (
    "Our wedding on Saturday was lovely, Priya cried during the vows and my uncle danced until two."
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as running:
            said = [
                message(
                    QUIZ.format(*week), create_time=moment((FIRST + timedelta(weeks=n)).isoformat())
                )
                for n, week in enumerate(WEEKS)
            ]
            said.append(message(WEDDING, create_time=moment("2023-05-22T09:00+00:00")))
            said.append(
                message(
                    "The cat slept on my laptop today.",
                    create_time=moment(datetime.now(UTC).isoformat()),
                )
            )
            await append(running, *said)
            await embed_everything(running)
            yield running


async def test_filter_period_takes_names_of_times(stack: Stack) -> None:
    async def browse(period: str) -> list[str]:
        request = pb.BrowseRequest(filter=memory_pb2.MemoryFilter(period=period))
        return [each.content for each in (await stack.search.Browse(request)).memories]

    assert len(await browse("2023-05")) == 5
    assert len(await browse("between 2023-05-10 and 2023-05-20")) == 2
    assert await browse("7d") == ["The cat slept on my laptop today."]
    assert len(await browse("until last_week")) == 5
    search = pb.SearchRequest(
        query="pub quiz",
        filter=memory_pb2.MemoryFilter(period="yesterday"),
        reference_time=moment("2023-05-12T12:00+00:00"),
    )
    [result] = (await stack.search.Search(search)).results
    assert "The Ferrets" in result.memory.content
    context = BuildContextRequest(
        query="pub quiz", filter=memory_pb2.MemoryFilter(period="since 2023-05-24")
    )
    text = (await stack.context.BuildContext(context)).text
    assert "The Otters" in text
    assert "The Owls" not in text


@pytest.mark.parametrize("period", ["soon", "2023-02-30", "today or tomorrow", "99999-01-01"])
async def test_unknown_period_is_refused_with_examples(stack: Stack, period: str) -> None:
    request = pb.BrowseRequest(filter=memory_pb2.MemoryFilter(period=period))
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stack.search.Browse(request)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "such as 2026-05-14" in (refused.value.details() or "")


@pytest.mark.parametrize(
    ("when", "team"),
    [
        ("the week after our wedding", "The Otters"),
        ("two weeks before our wedding", "The Owls"),
        ("on Thursday, May 11", "The Ferrets"),
        ("on the third Thursday of May", "The Herons"),
    ],
)
async def test_question_about_an_event_or_a_day_finds_its_memory_first(
    stack: Stack, when: str, team: str
) -> None:
    request = pb.SearchRequest(
        query=f"What was our name at the pub quiz {when}?",
        reference_time=moment("2023-05-28T12:00+00:00"),
    )
    results = (await stack.search.Search(request)).results
    assert team in results[0].memory.content
    # A time excludes nothing.
    assert len(results) >= 4


async def test_later_page_keeps_the_period_of_the_event(stack: Stack) -> None:
    """The first page found no such event; a message about it that is added later changes no page."""
    request = pb.SearchRequest(
        query="What was our name at the pub quiz the week after the regatta?", page_size=1
    )
    request.page_token = (await stack.search.Search(request)).next_page_token
    expected = {each.memory.id: each.score for each in (await stack.search.Search(request)).results}
    told = "The regatta on Sunday was the windiest regatta we have ever sailed."
    await append(stack, message(told, create_time=moment("2023-05-15T09:00+00:00")))
    await embed_everything(stack)
    found = {each.memory.id: each.score for each in (await stack.search.Search(request)).results}
    assert found == pytest.approx(expected, rel=0.05)

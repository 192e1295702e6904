"""Messages that correct or update another one, found in the background without a language model or known attribute."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.v1 import context_service_pb2, erasure_service_pb2, fact_pb2, fact_query_service_pb2
from everword.v1 import search_service_pb2 as search
from support.background import embed_everything
from support.calls import ASSISTANT
from support.databases import cloned
from support.learning import day, learn, say
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack; each test uses a subject of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as running:
            yield running


async def find(
    stack: Stack, query: str, subject: str, until: int | None = None
) -> list[search.SearchResult]:
    request = search.SearchRequest(query=query)
    request.filter.subjects.append(subject)
    if until is not None:
        request.filter.end_time.FromDatetime(day(until))
    return list((await stack.search.Search(request)).results)


async def test_correction_days_later_is_ranked_before_the_outdated_message_and_marks_it(
    stack: Stack,
) -> None:
    about, later = {"subject": "dee", "session": "dee"}, {"subject": "dee", "session": "dee2"}
    old = await say(
        stack, "The deposit for the flat is 350, I will transfer it before work.", 1, **about
    )
    await say(stack, "Shall I remind you to keep the receipt?", 1, role=ASSISTANT, **about)
    await say(stack, "Does paint from 2019 still work?", 2, **about)
    new = await say(
        stack, "turns out it was 400 that he wanted, i misread the contract", 6, **later
    )
    await learn(stack)
    question = "How much was the deposit for the flat?"
    results = await find(stack, question, "dee")
    ids = [each.memory.id for each in results]
    assert ids.index(new) < ids.index(old)
    [mark] = results[ids.index(old)].superseded
    assert (mark.fact_id, mark.attribute, mark.value) == ("", "", "350")
    assert (mark.current_value, mark.current_memory_id) == ("400", new)
    assert mark.ending == fact_pb2.FACT_ENDING_CORRECTED
    assert not any(each.superseded for each in results if each.memory.id != old)
    # The correction was not known at an earlier time.
    assert not any(each.superseded for each in await find(stack, question, "dee", until=4))
    for budget in (40, 80, 4000):
        request = context_service_pb2.BuildContextRequest(query=question, token_budget=budget)
        request.filter.subjects.append("dee")
        text = (await stack.context.BuildContext(request)).text
        assert "350" not in text or ('"350" corrected' in text and "400" in text)


async def test_answer_to_a_question_corrects_and_a_reversal_makes_the_first_value_current(
    stack: Stack,
) -> None:
    about, later = {"subject": "eve", "session": "eve"}, {"subject": "eve", "session": "eve2"}
    first = await say(stack, "signed up for the climbing course, its every Tuesday", 1, **about)
    second = await say(
        stack, "the climbing course moved to thursday, rooms got mixed up", 4, **about
    )
    await say(stack, "Is the climbing course still on Thursday?", 8, role=ASSISTANT, **later)
    third = await say(stack, "nope, back on Tuesday. yoga people complained", 8, **later)
    await learn(stack)
    results = await find(stack, "Which day is the climbing course?", "eve")
    marked = {
        each.memory.id: each.superseded[0].current_memory_id for each in results if each.superseded
    }
    assert marked == {second: third}
    assert first in {each.memory.id for each in results}


async def test_erased_correction_leaves_the_earlier_message_unmarked(stack: Stack) -> None:
    about, later = {"subject": "fay", "session": "fay"}, {"subject": "fay", "session": "fay2"}
    old = await say(stack, "The dentist is on the 14th at half past nine, I booked it.", 1, **about)
    new = await say(stack, "I misread it, the dentist is on the 21st, not the 14th.", 9, **later)
    await learn(stack)
    [marked] = [
        each for each in await find(stack, "When is the dentist?", "fay") if each.superseded
    ]
    assert (marked.memory.id, marked.superseded[0].current_memory_id) == (old, new)
    target = erasure_service_pb2.ErasureTarget(message_id=new)
    await stack.erasures.Erase(erasure_service_pb2.EraseRequest(target=target))
    assert not any(each.superseded for each in await find(stack, "When is the dentist?", "fay"))


async def test_correction_by_another_speaker_ends_the_fact_of_the_first_one(stack: Stack) -> None:
    about = {"subject": "", "session": "team"}
    await say(
        stack, "The staging server runs on port 8080, behind the vpn.", 1, author="Gil", **about
    )
    await say(
        stack, "had a clash so the staging server runs on port 9090 now", 8, author="Hal", **about
    )
    await learn(stack)
    profile = await stack.fact_queries.GetProfile(
        fact_query_service_pb2.GetProfileRequest(subject="Gil")
    )
    assert [(each.attribute, each.value) for each in profile.facts] == [
        ("staging_server_port", "9090")
    ]


async def test_probably_newer_statement_is_placed_before_the_older_one_that_answers_the_question(
    stack: Stack,
) -> None:
    about = {"subject": "ivy", "session": "ivy"}
    old = await say(stack, "I drive an old Corsa, the car is held together by rust.", 1, **about)
    await say(stack, "took it to the garage again, 340 for the brakes", 3, **about)
    new = await say(stack, "well thats it. traded the Corsa for a van, 90k on it", 20, **about)
    await say(stack, "I was late because of the car in front of me", 25, **about)
    await embed_everything(stack)
    request = search.SearchRequest(query="What car do I drive?", explain=True)
    request.filter.subjects.append("ivy")
    first, second, *others = (await stack.search.Search(request)).results
    assert (first.memory.id, second.memory.id) == (new, old)
    assert first.score == second.score
    assert [each.name for each in first.explanation.signals] == ["newer_statement"]
    [mark] = second.superseded
    assert mark.ending == fact_pb2.FACT_ENDING_POSSIBLY_REPLACED
    assert (mark.current_memory_id, mark.value) == (new, "")
    assert not any(each.superseded for each in (first, *others))
    # What was said earlier answers a question about the past.
    past = await find(stack, "What car did I drive before?", "ivy")
    assert past[0].memory.id == old
    assert not any(each.superseded for each in past)
    context = context_service_pb2.BuildContextRequest(
        query="What car do I drive?", token_budget=300
    )
    context.filter.subjects.append("ivy")
    text = (await stack.context.BuildContext(context)).text
    assert "this may be outdated since" in text
    assert "traded the Corsa" in text

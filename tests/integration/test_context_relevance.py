"""A default context has the memories that a question needs, and leaves out the others."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.v1 import context_service_pb2 as pb
from everword.v1 import search_service_pb2 as search_pb
from support.background import embed_everything
from support.calls import append_request, message, target
from support.companion_week import QUESTIONS, WEEK, Asked
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def week(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            for day, messages in enumerate(WEEK):
                request = append_request(
                    *(message(each.text, author=each.author) for each in messages)
                )
                request.conversation.CopyFrom(target(f"day-{day}", agent="mira", subject="ana"))
                await stack.ingest.AppendMessages(request)
            await embed_everything(stack)
            yield stack


SUBJECTS = {each.text: each.subject for messages in WEEK for each in messages}


def subject_of(item: pb.ContextItem) -> str:
    return next(subject for text, subject in SUBJECTS.items() if text in item.text)


async def build(stack: Stack, query: str, min_relevance: float = 0.0) -> pb.BuildContextResponse:
    request = pb.BuildContextRequest(query=query, skip_use_count=True, min_relevance=min_relevance)
    return await stack.context.BuildContext(request)


def items_of(built: pb.BuildContextResponse) -> list[pb.ContextItem]:
    return [item for block in built.blocks for item in block.items]


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.answer)
async def test_context_contains_the_answer_with_high_relevance(week: Stack, asked: Asked) -> None:
    items = items_of(await build(week, asked.text))
    answers = [item for item in items if asked.answer in item.text]
    assert answers
    assert max(item.relevance for item in answers) >= 0.6


async def test_half_of_the_items_are_about_the_question(week: Stack) -> None:
    about, shown = 0, 0
    for asked in QUESTIONS:
        items = items_of(await build(week, asked.text))
        about += sum(subject_of(item) == asked.subject for item in items)
        shown += len(items)
    assert about / shown >= 0.5


async def test_unrelated_memories_have_low_relevance(week: Stack) -> None:
    """In a full context, nine of ten memories about other subjects show at most .1."""
    unrelated = [
        item.relevance
        for asked in QUESTIONS
        for item in items_of(await build(week, asked.text, min_relevance=0.0001))
        if subject_of(item) != asked.subject
    ]
    assert len(unrelated) > 100
    assert sum(each <= 0.1 for each in unrelated) / len(unrelated) >= 0.9


async def test_question_about_an_unmentioned_subject_gets_few_uncertain_memories(
    week: Stack,
) -> None:
    foreign = await build(week, "Which turbocharger fits a Scania lorry built in 1998?")
    assert foreign.verdict == search_pb.VERDICT_NOTHING_RELEVANT
    assert len(items_of(foreign)) <= 3
    built = await build(week, "What should I cook for guests?")
    assert built.verdict == search_pb.VERDICT_NOTHING_RELEVANT
    assert 1 <= len(items_of(built)) <= 3
    for item in items_of(built):
        assert item.uncertain
        assert "; uncertain]" in item.text
        assert item.relevance < 0.3
    assert not any(item.uncertain for item in items_of(await build(week, QUESTIONS[0].text)))


async def test_small_talk_gets_no_memories(week: Stack) -> None:
    built = await build(week, "Thank you so much!")
    assert built.verdict == search_pb.VERDICT_NOTHING_RELEVANT
    assert not built.blocks


async def test_min_relevance_replaces_the_floor(week: Stack) -> None:
    query = QUESTIONS[0].text
    default = len(items_of(await build(week, query)))
    everything = len(items_of(await build(week, query, min_relevance=0.0001)))
    sure = items_of(await build(week, query, min_relevance=0.6))
    assert len(sure) < default < everything
    assert all(item.relevance >= 0.6 for item in sure)

"""The queue before a provider: order, dropped texts, and refusals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest

from everword.domain.errors import Overloaded
from everword.telemetry.tracing import tracer
from everword_embedder import batcher as module
from everword_embedder.batcher import Batcher, Priority
from everword_embedder.providers.errors import BatchRefused, ProviderUnavailable
from everword_embedder.providers.isolation import Outcome
from support.latched_provider import LatchedProvider, vector_of
from support.spans import exporter

QUERY, BACKGROUND = Priority.QUERY, Priority.BACKGROUND


@pytest.fixture
def provider() -> LatchedProvider:
    return LatchedProvider()


@pytest.fixture
async def batcher(provider: LatchedProvider) -> AsyncIterator[Batcher]:
    batcher = Batcher(provider)
    yield batcher
    await batcher.close()


async def settle() -> None:
    """Let everything happen that can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def ask(
    batcher: Batcher, *texts: str, priority: Priority = BACKGROUND
) -> asyncio.Task[list[Outcome]]:
    """Begin to embed; returns when the texts are in the queue."""
    task = asyncio.create_task(batcher.embed(texts, priority))
    await settle()
    return task


async def let_all_go(provider: LatchedProvider) -> None:
    while provider.held:
        provider.held[0].let_go()
        await settle()


async def give_up(*tasks: asyncio.Task[list[Outcome]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await settle()


def assert_vectors(outcomes: Sequence[Outcome], *texts: str) -> None:
    np.testing.assert_array_equal(outcomes, [vector_of(text) for text in texts])


async def test_a_query_starts_while_background_work_is_in_flight(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    work = await ask(batcher, *"abcdefgh")
    query = await ask(batcher, "question", priority=QUERY)
    assert provider.texts == [["a", "b", "c", "d"], ["question"]]
    provider.held[1].let_go()
    assert_vectors(await query, "question")
    assert not work.done()
    await give_up(work)


async def test_queries_precede_earlier_background_work(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    work = await ask(batcher, *"abcdefgh")
    names = ["first", "second", "third", "fourth"]
    queries = [await ask(batcher, name, priority=QUERY) for name in names]
    await let_all_go(provider)
    # All three calls are busy when the third and the fourth come, and both are in the next one.
    assert provider.texts[1:4] == [["first"], ["second"], ["third", "fourth"]]
    assert provider.texts[4] == ["e", "f", "g", "h"]
    assert_vectors([(await query)[0] for query in queries], *names)
    assert_vectors(await work, *"abcdefgh")


async def test_background_work_never_takes_the_last_call(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    work = [await ask(batcher, *"abcd") for _ in range(3)]
    assert len(provider.held) == provider.limits.background == 1
    await give_up(*work)


async def test_callers_are_served_in_order_and_share_calls(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    first = await ask(batcher, "a")
    second = await ask(batcher, "b", "c", "d")
    third = await ask(batcher, "e", "f")
    await let_all_go(provider)
    assert provider.texts == [["a"], ["b", "c", "d", "e"], ["f"]]
    assert_vectors(await first, "a")
    assert_vectors(await second, "b", "c", "d")
    assert_vectors(await third, "e", "f")


async def test_short_background_work_alternates_with_earlier_long_work() -> None:
    provider = LatchedProvider(texts=1)
    batcher = Batcher(provider)
    backlog = [str(n) for n in range(module.SHORT_TEXTS + 1)]
    long, short = await ask(batcher, *backlog), await ask(batcher, "a", "b", "c")
    await let_all_go(provider)
    assert [text for [text] in provider.texts[:7]] == ["0", "a", "1", "b", "2", "c", "3"]
    assert [call.urgent for call in provider.calls[:4]] == [False, True, False, True]
    assert_vectors(await short, "a", "b", "c")
    assert_vectors(await long, *backlog)
    await batcher.close()


async def test_batches_are_limited_by_characters_and_a_very_long_text_goes_alone() -> None:
    provider = LatchedProvider(texts=10, characters=10)
    batcher = Batcher(provider)
    work = await ask(batcher, "x" * 30, "aaaa", "bbbb", "cccc")
    await let_all_go(provider)
    assert provider.texts == [["aaaa", "bbbb"], ["cccc"], ["x" * 30]]
    assert_vectors(await work, "x" * 30, "aaaa", "bbbb", "cccc")
    await batcher.close()


async def test_cancelled_caller_removes_its_texts_from_the_queue(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    running = await ask(batcher, "a")
    waiting = await ask(batcher, "b", "c")
    last = await ask(batcher, "d")
    await give_up(waiting)
    await let_all_go(provider)
    assert provider.texts == [["a"], ["d"]]
    assert_vectors(await running, "a")
    assert_vectors(await last, "d")


async def test_call_without_waiting_callers_is_cancelled_and_frees_its_slot(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    hanging = await ask(batcher, "a")
    waiting = await ask(batcher, "b")
    await give_up(hanging)
    assert provider.calls[0].cancelled
    assert provider.texts == [["a"], ["b"]]
    provider.held[0].let_go()
    assert_vectors(await waiting, "b")


async def test_call_continues_while_one_of_its_callers_waits(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    busy = await ask(batcher, "a")
    gone, waits = await ask(batcher, "b"), await ask(batcher, "c")
    provider.held[0].let_go()
    await settle()
    await give_up(gone)
    assert provider.texts == [["a"], ["b", "c"]]
    provider.held[0].let_go()
    assert_vectors(await waits, "c")
    assert_vectors(await busy, "a")


async def test_caller_cancelled_at_once_does_not_block_the_queue(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    for _ in range(5):
        task = asyncio.create_task(batcher.embed(["a"], BACKGROUND))
        await asyncio.sleep(0)
        await give_up(task)
    follower = await ask(batcher, "b")
    await let_all_go(provider)
    assert_vectors(await follower, "b")


async def test_deadline_ends_the_wait_for_a_hanging_provider(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await batcher.embed(["a"], QUERY)
    await settle()
    assert provider.calls[0].cancelled


async def test_equal_concurrent_queries_share_one_call(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    queries = [await ask(batcher, "same", priority=QUERY) for _ in range(3)]
    twice = await ask(batcher, "same", "same", priority=QUERY)
    await give_up(queries[0])
    await let_all_go(provider)
    assert provider.texts == [["same"]]
    assert_vectors(await queries[1], "same")
    assert_vectors(await queries[2], "same")
    assert_vectors(await twice, "same", "same")


async def test_query_after_a_cancelled_equal_one_is_sent_again(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    await give_up(await ask(batcher, "same", priority=QUERY))
    again = await ask(batcher, "same", priority=QUERY)
    await let_all_go(provider)
    assert provider.texts == [["same"], ["same"]]
    assert_vectors(await again, "same")


@pytest.mark.parametrize(
    ("priority", "setting"), [(QUERY, "QUERY_CAPACITY"), (BACKGROUND, "BACKGROUND_CAPACITY")]
)
async def test_full_priority_class_is_refused_at_once_but_not_the_other(
    batcher: Batcher, monkeypatch: pytest.MonkeyPatch, priority: Priority, setting: str
) -> None:
    monkeypatch.setattr(module, setting, 3)
    # Texts already sent to the model do not count.
    taken = [await ask(batcher, *texts, priority=priority) for texts in ("abc", "x", "y")]
    filler = await ask(batcher, "1", "2", priority=priority)
    with pytest.raises(Overloaded):
        await batcher.embed(["3", "4"], priority)
    other = QUERY if priority is BACKGROUND else BACKGROUND
    taken.append(await ask(batcher, "other", priority=other))
    assert not taken[-1].done()
    await give_up(filler, *taken)
    again = await ask(batcher, *"abc", priority=priority)
    assert not again.done()
    await give_up(again)


async def test_provider_failure_fails_only_the_callers_in_that_call(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    first, second = await ask(batcher, "a"), await ask(batcher, "b")
    error = ProviderUnavailable("away")
    provider.held[0].fail(error)
    assert await first == [error]
    await settle()
    await let_all_go(provider)
    assert_vectors(await second, "b")


async def test_bad_text_of_one_caller_does_not_affect_others(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    provider.refuses = "bad".__eq__
    busy = await ask(batcher, "a")
    guilty, innocent = await ask(batcher, "b", "bad"), await ask(batcher, "c")
    await let_all_go(provider)
    [good, bad] = await guilty
    assert_vectors([good], "b")
    assert isinstance(bad, BatchRefused)
    assert_vectors(await innocent, "c")
    assert_vectors(await busy, "a")


async def test_unexpected_failure_is_logged_and_does_not_stop_the_queue(
    batcher: Batcher, provider: LatchedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = await ask(batcher, "a"), await ask(batcher, "b")
    provider.held[0].fail(ZeroDivisionError("a bug"))
    [outcome] = await first
    assert isinstance(outcome, ProviderUnavailable)
    assert "a bug" in caplog.text
    await let_all_go(provider)
    assert_vectors(await second, "b")


async def test_close_fails_waiting_callers_and_closes_the_provider(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    running, waiting = await ask(batcher, "a"), await ask(batcher, "b")
    await batcher.close()
    for task in (running, waiting):
        [outcome] = await task
        assert isinstance(outcome, ProviderUnavailable)
    assert provider.closed
    assert provider.texts == [["a"]]
    with pytest.raises(Overloaded):
        await batcher.embed(["c"], QUERY)


async def test_call_span_has_the_first_caller_as_parent_and_links_to_others(
    batcher: Batcher, provider: LatchedProvider
) -> None:
    spans = exporter()
    spans.clear()
    busy = await ask(batcher, "a")
    tasks = []
    for name in ("first", "second"):
        with tracer().start_as_current_span(name):
            tasks.append(await ask(batcher, name))
    await let_all_go(provider)
    await asyncio.gather(busy, *tasks)
    ended = {span.name: span for span in spans.get_finished_spans()}
    call = ended["embeddings latched"]
    first, second = ended["first"].context, ended["second"].context
    assert call.parent is not None
    assert first is not None
    assert second is not None
    assert call.parent.span_id == first.span_id
    assert [link.context.span_id for link in call.links] == [second.span_id]
    assert dict(call.attributes or {})["everword.embed.batch.texts"] == 2

"""Of histories in three wordings, the latest comes first: with facts learned by rules, and with all of them learned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Sequence

import pytest
import pytest_asyncio

from everword_compactor.learning import job as learning
from everword_compactor.learning.extract.model import Claim, Modality
from support.background import embed_everything
from support.calls import append_request, message, target
from support.databases import cloned
from support.learning import History, learn, read_histories
from support.stack import Stack, running_stack
from support.telling import context_of, day, find, stamp

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: Of those that no rule was written for, the ones with something that holds instead of something else.
CHANGED = {
    str(number): history
    for number, history in enumerate(read_histories("held_out"))
    if history.current and history.past
}


def perfect(histories: Collection[History]) -> dict[str, list[Claim]]:
    """Return what each message claims, by who knows what held before and what holds now."""
    claims = dict[str, list[Claim]]()
    for history in histories:
        known = set[str]()
        for text in history.messages:
            said = {value for value in history.current | history.past if value in text.lower()}
            claims[text] = [_claim(history, value, said, known) for value in sorted(said)]
            known |= said
    return claims


def _claim(history: History, value: str, said: Collection[str], known: Collection[str]) -> Claim:
    ends = value in history.past and value in known
    modality = Modality.RETRACTION if ends else Modality.STATEMENT
    return Claim(history.attribute, value, modality, value)


async def tell_all(stack: Stack, how: str) -> None:
    for key, history in CHANGED.items():
        spoken = [
            message(text, create_time=stamp(day(at))) for at, text in enumerate(history.messages)
        ]
        request = append_request(*spoken)
        request.conversation.CopyFrom(target(f"{how}-{key}", subject=f"{how}-{key}"))
        await stack.ingest.AppendMessages(request)
    assert set((await learn(stack)).values()) == {"done"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def told(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack in which each history was told twice: to the rules, and to who knows everything."""
    known = perfect(CHANGED.values())

    def read(text: str, earlier: Sequence[Claim]) -> list[Claim]:
        return known[text]

    with cloned(postgres_url) as database:
        async with running_stack(database, semantic=True) as stack:
            await tell_all(stack, "rules")
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(learning, "extract", read)
                await tell_all(stack, "perfect")
            await embed_everything(stack)
            yield stack


async def share_of_latest_first(stack: Stack, how: str) -> dict[str, float]:
    """Return by wording in how many searches what holds comes before what held."""
    found = defaultdict[str, list[bool]](list)
    for key, history in CHANGED.items():
        response = await find(stack, history.question, subject=f"{how}-{key}")
        told = [result.memory.content.lower() for result in response.results]
        news = (_holds(text, history.current) for text in told if _holds_any(text, history))
        found[history.wording].append(next(news, False))
    return {wording: sum(each) / len(each) for wording, each in found.items()}


async def share_alone(stack: Stack, how: str) -> float:
    """Return in how many contexts what held stands without what holds."""
    alone = list[bool]()
    for key, history in CHANGED.items():
        # So small that not everything fits.
        built = await context_of(stack, history.question, subject=f"{how}-{key}", token_budget=40)
        text = built.text.lower()
        alone.append(_holds(text, history.past) and not _holds(text, history.current))
    return sum(alone) / len(alone)


def _holds(text: str, values: Collection[str]) -> bool:
    return any(value in text for value in values)


def _holds_any(text: str, history: History) -> bool:
    return _holds(text, history.current | history.past)


async def test_with_all_facts_the_latest_always_comes_first_and_the_older_never_stands_alone(
    told: Stack,
) -> None:
    assert await share_of_latest_first(told, "perfect") == {"old": 1.0, "alike": 1.0, "new": 1.0}
    assert await share_alone(told, "perfect") == 0


async def test_with_facts_learned_by_rules_the_latest_mostly_comes_first(told: Stack) -> None:
    first = await share_of_latest_first(told, "rules")
    assert first["old"] >= 0.6
    assert min(first["alike"], first["new"]) >= 0.95
    assert await share_alone(told, "rules") <= 0.1

"""Histories of changing facts rank the latest value first: with rules, a perfect extractor, and Sleep with a perfect
model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from everword_compactor.learning import job as learning
from everword_compactor.learning.extract.model import Modality, SpokenClaim
from support.background import embed_everything
from support.calls import append_request, message, target
from support.databases import cloned
from support.learning import History, learn, read_histories
from support.learning import told as values_of
from support.sleep_calls import Mind, Records, fact_line, sleep
from support.stack import Stack, running_stack
from support.stated_facts import BEGAN, context_of, find, stamp

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: Sleep drops facts without recent evidence, so the histories happen in the last days.
LATELY = datetime.now(UTC) - timedelta(days=10)


def _holds(text: str, values: Collection[str]) -> bool:
    return any(value in text for value in values)


def _holds_any(text: str, history: History) -> bool:
    return _holds(text, history.current | history.past)


def _changed(half: str) -> dict[str, History]:
    """Return the histories of a half in which a current value that occurs in the text replaced another one."""
    return {
        f"{half}-{number}": history
        for number, history in enumerate(read_histories(half))
        if history.past and any(_holds(text.lower(), history.current) for text in history.messages)
    }


#: The rules were not developed with these histories.
HELD_OUT = _changed("held_out")
CHANGED = HELD_OUT | _changed("held_out_2")


def perfect(histories: Collection[History]) -> dict[str, list[SpokenClaim]]:
    """Return each message's claims, as a reader extracts them who knows current and outdated values."""
    claims = dict[str, list[SpokenClaim]]()
    for history in histories:
        known = set[str]()
        for text in history.messages:
            said = {value for value in history.current | history.past if value in text.lower()}
            claims[text] = [_claim(history, value, said, known) for value in sorted(said)]
            known |= said
    return claims


def _claim(
    history: History, value: str, said: Collection[str], known: Collection[str]
) -> SpokenClaim:
    ends = value in history.past and value in known
    modality = Modality.RETRACTION if ends else Modality.STATEMENT
    return SpokenClaim(history.attribute, value, modality, value)


class PerfectModel:
    """A model for Sleep that knows the claims of each message."""

    def __init__(self, claims: dict[str, list[SpokenClaim]]) -> None:
        self._claims = claims
        self.mind = Mind({"sleep-observe": self._observe, "sleep-classify": self._classify})

    def _observe(self, records: Records) -> Any:
        said = [each["text"] for each in records["messages"]]
        return {"facts": [self._line(text, claim) for text in said for claim in self._claims[text]]}

    def _line(self, text: str, claim: SpokenClaim) -> str:
        former = "former " if claim.modality is Modality.RETRACTION else ""
        start = text.lower().index(claim.value)
        return fact_line(former + claim.attribute, text[start : start + len(claim.value)])

    def _classify(self, records: Records) -> Any:
        facts = {fact["value"].lower(): fact["fact"] for fact in records["facts"]}
        relations = [
            {"o": each["o"], "relation": relation, "fact": fact}
            for each in records["observations"]
            for relation, fact in self._relations(each, facts)
        ]
        return {"relations": relations}

    def _relations(self, observed: Any, facts: dict[str, int]) -> Iterator[tuple[str, int]]:
        value = observed["value"].lower()
        if observed["attribute"].startswith("former_"):
            yield ("end", facts[value]) if value in facts else ("none", 0)
            return
        # Values that this message does not mention were stored before it.
        claims = next(each for text, each in self._claims.items() if observed["text"] in text)
        said = {claim.value for claim in claims}
        gone = [fact for known, fact in facts.items() if known not in said]
        yield ("replace", gone[0]) if gone else ("new", 0)


async def tell_all(
    stack: Stack, how: str, histories: dict[str, History], first: datetime = BEGAN
) -> None:
    for key, history in histories.items():
        spoken = [
            message(text, create_time=stamp(first + timedelta(days=at)))
            for at, text in enumerate(history.messages)
        ]
        request = append_request(*spoken)
        request.conversation.CopyFrom(target(f"{how}-{key}", subject=f"{how}-{key}"))
        await stack.ingest.AppendMessages(request)
    assert set((await learn(stack)).values()) == {"done"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def told(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack to which the histories were written twice: for the rules, and for a perfect extractor."""
    known = perfect(CHANGED.values())

    def read(
        text: str, earlier: Sequence[SpokenClaim], names: Collection[str], agent: str | None
    ) -> list[SpokenClaim]:
        return known[text]

    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await tell_all(stack, "rules", CHANGED)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(learning, "extract", read)
                await tell_all(stack, "perfect", CHANGED)
            await embed_everything(stack)
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def slept(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack to which the histories were written for Sleep only."""

    def read_nothing(
        text: str, earlier: Sequence[SpokenClaim], names: Collection[str], agent: str | None
    ) -> list[SpokenClaim]:
        return []

    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(learning, "extract", read_nothing)
                await tell_all(stack, "slept", HELD_OUT, LATELY)
                ended = await sleep(stack, PerfectModel(perfect(HELD_OUT.values())).mind)
                assert set(ended.values()) <= {"done", "pending"}
            await embed_everything(stack)
            yield stack


async def share_of_latest_first(
    stack: Stack, how: str, histories: dict[str, History] = CHANGED
) -> dict[str, float]:
    """Return by wording the share of searches that rank a current value before all outdated ones."""
    found = defaultdict[str, list[bool]](list)
    for key, history in histories.items():
        response = await find(stack, history.question, subject=f"{how}-{key}")
        told = [result.memory.content.lower() for result in response.results]
        news = (_holds(text, history.current) for text in told if _holds_any(text, history))
        found[history.wording].append(next(news, False))
    return {wording: sum(each) / len(each) for wording, each in found.items()}


async def share_current(stack: Stack, how: str, histories: dict[str, History] = CHANGED) -> float:
    """Return the share of contexts with a current value; other contexts have an outdated value or none."""
    current = list[bool]()
    for key, history in histories.items():
        # So small that not everything fits.
        built = await context_of(stack, history.question, subject=f"{how}-{key}", token_budget=40)
        current.append(_holds(built.text.lower(), history.current))
    return sum(current) / len(current)


ALWAYS = {"old": 1.0, "alike": 1.0, "new": 1.0}


async def test_latest_value_always_ranks_first_and_is_in_contexts_with_all_facts(
    told: Stack,
) -> None:
    assert await share_of_latest_first(told, "perfect") == ALWAYS
    assert await share_current(told, "perfect") == 1


@pytest.mark.long
async def test_latest_value_ranks_first_with_facts_from_sleep_with_a_perfect_model(
    slept: Stack,
) -> None:
    for key, history in HELD_OUT.items():
        known = await values_of(slept, f"slept-{key}")
        assert known.get(history.attribute, set()) == history.current, history
    assert await share_of_latest_first(slept, "slept", HELD_OUT) == ALWAYS
    assert await share_current(slept, "slept", HELD_OUT) == 1


async def test_latest_value_mostly_ranks_first_with_facts_learned_by_rules(told: Stack) -> None:
    first = await share_of_latest_first(told, "rules")
    assert min(first.values()) >= 0.95, first
    assert await share_current(told, "rules") >= 0.95

"""Measures how many of the first ten results lie in the time named by a question: `python -m bench.dates --data FILE…`.

The questions are generated from messages: "What did Emi say about cooking last week?", if Emi wrote about it in that
week and also at another time. Dates are calculated here independently of Search.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from wordfreq import zipf_frequency

from everword.bench.bench_namespace import fill, namespace, wait_until_embedded
from everword.bench.dataset import Dataset
from everword.bench.native_format import read_sets
from everword.bench.target import own_target, running_target
from everword.cli.output import note
from everword.client import Client
from everword.domain.settings import Environment
from everword.text.analysis import folded_words
from everword.v1 import search_service_pb2 as pb

_DAY = timedelta(days=1)
_FIRST = 10
#: Range of word frequencies (Zipf) for topics, neither rare nor too common to be specific.
_TOPICS = (2.5, 5.0)
_LEAST_LETTERS = 5


@dataclass(frozen=True)
class Way:
    """A phrase for a period of time, asked a number of days after its first day."""

    text: str
    unit: str
    later: int


WAYS = (
    Way("in {day:%B %Y}", "month", 200),
    Way("in {day:%Y-%m}", "month", 200),
    Way("on {day:%Y-%m-%d}", "day", 200),
    Way("yesterday", "day", 1),
    Way("last week", "week", 9),
    Way("two weeks ago", "week", 16),
    Way("last month", "month", 45),
)


@dataclass(frozen=True)
class Case:
    """A question, its time of asking, and the period that it names."""

    way: Way
    text: str
    requested_time: datetime
    start: datetime
    end: datetime


@dataclass(frozen=True)
class _Said:
    moment: datetime
    author: str
    topics: frozenset[str]


def cases(dataset: Dataset, each: int, seed: int = 1) -> Iterator[Case]:
    """Yield at most `each` questions of each way."""
    rng = random.Random(f"{seed} {dataset.name}")
    said = [_said(entry.message) for entry in dataset.entries]
    times = Counter((one.author, topic) for one in said for topic in one.topics)
    for way in WAYS:
        spans: dict[date, list[_Said]] = defaultdict(list)
        for one in said:
            spans[_first_day(way.unit, one.moment.date())].append(one)
        found = [
            _case(way, first, author, topic)
            for first, within in sorted(spans.items())
            for (author, topic), here in sorted(_counts(within).items())
            if author and here < times[author, topic]
        ]
        yield from rng.sample(found, min(each, len(found)))


def _said(message: object) -> _Said:
    moment = message.create_time.ToDatetime(UTC)  # type: ignore[attr-defined]
    words = folded_words(message.content)  # type: ignore[attr-defined]
    topics = {
        word
        for word in words
        if len(word) >= _LEAST_LETTERS and _TOPICS[0] < zipf_frequency(word, "en") < _TOPICS[1]
    }
    return _Said(moment, message.author, frozenset(topics))  # type: ignore[attr-defined]


def _counts(said: Sequence[_Said]) -> Counter[tuple[str, str]]:
    return Counter((one.author, topic) for one in said for topic in one.topics)


def _first_day(unit: str, day: date) -> date:
    if unit == "week":
        return day - day.weekday() * _DAY
    return day.replace(day=1) if unit == "month" else day


def _case(way: Way, first: date, author: str, topic: str) -> Case:
    following = {
        "day": first + _DAY,
        "week": first + 7 * _DAY,
        "month": (first + 32 * _DAY).replace(day=1),
    }[way.unit]
    text = f"What did {author} say about {topic} {way.text.format(day=first)}?"
    noon = datetime.combine(first + way.later * _DAY, time(12), UTC)
    midnights = (datetime.combine(day, time(), UTC) for day in (first, following))
    return Case(way, text, noon, *midnights)


async def ask(client: Client, case: Case, held: int) -> float:
    """Return the share of the first ten results within the period, or of as many as the period contains if fewer."""
    request = pb.SearchRequest(query=case.text, page_size=_FIRST, max_content_chars=1)
    request.reference_time.FromDatetime(case.requested_time)
    response = await client.search_service.Search(request)
    moments = [result.memory.occur_time.ToDatetime(UTC) for result in response.results]
    within = sum(case.start <= moment < case.end for moment in moments)
    return within / min(_FIRST, held)


async def ask_all(client: Client, dataset: Dataset, each: int) -> dict[str, list[float]]:
    moments = [entry.message.create_time.ToDatetime(UTC) for entry in dataset.entries]
    shares: dict[str, list[float]] = defaultdict(list)
    for case in cases(dataset, each):
        held = sum(case.start <= moment < case.end for moment in moments)
        shares[case.way.text].append(await ask(client, case, held))
    return shares


async def measure(paths: Sequence[Path], each: int, running: bool) -> None:
    environment = Environment(os.environ)
    async with AsyncExitStack() as resources:
        if running:
            target = running_target(environment)
        else:
            target = await resources.enter_async_context(own_target(environment, note))
        for bench_set in read_sets(paths):
            shares: dict[str, list[float]] = defaultdict(list)
            for dataset in bench_set.datasets:
                async with namespace(target.settings, f"when-{secrets.token_hex(4)}-") as client:
                    token, _ = await fill(client, dataset, note)
                    await wait_until_embedded(client, token, note)
                    for way, found in (await ask_all(client, dataset, each)).items():
                        shares[way] += found
            report(bench_set.name, shares)


def report(name: str, shares: dict[str, list[float]]) -> None:
    for way, found in shares.items():
        print(f"{name:14} {way:20} {sum(found) / len(found):.3f} of {len(found)} questions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--each", type=int, default=20, help="questions of a way, a conversation")
    parser.add_argument("--running", action="store_true",
                        help="use the Everword that other commands find")  # fmt: skip
    given = parser.parse_args()
    asyncio.run(measure(given.data, given.each, given.running))


if __name__ == "__main__":
    main()

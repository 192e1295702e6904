"""Rankings of Search with one server's vectors, using the stack and steps of `everword bench retrieval`.

The benchmark's own rows lack the compared data: the scores, and whether relevance is calibrated.
"""

from __future__ import annotations

import os
import secrets
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from everword.bench.answer import Answer, Places, messages_of, read_answer, relevance
from everword.bench.bench_namespace import fill, namespace, wait_until_embedded
from everword.bench.dataset import Dataset, Question, questions
from everword.bench.metrics import judge
from everword.bench.native_format import BenchSet
from everword.bench.target import own_target
from everword.bench.variants import Variant
from everword.client import Client
from everword.domain.settings import Environment
from everword.v1 import search_service_pb2 as pb

#: Number of first results that are compared.
TOP = 10
#: A world, the question's own world, the question, and the way of ranking.
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class RankedAnswer:
    """The answer to a question."""

    answer: Answer
    #: By external id of the message.
    scores: Mapping[str, float]
    #: Name of the response's calibration, such as `CALIBRATED`.
    calibration: str
    #: Relevance of the most relevant result; its score if uncalibrated.
    relevance: float
    #: The benchmark's metrics; None if no message answers the question.
    metrics: Mapping[str, float] | None

    @property
    def top(self) -> tuple[str, ...]:
        return self.answer.ranked[:TOP]

    def apart(self, one: str | None, other: str | None) -> float:
        """Return the difference of two results' scores; infinity if one is not among the results."""
        if one is None or other is None or not {one, other} <= self.scores.keys():
            return float("inf")
        return abs(self.scores[one] - self.scores[other])


Rankings = Mapping[Key, RankedAnswer]


async def ask_everything(bench_set: BenchSet, variants: Sequence[Variant]) -> Rankings:
    """Ask a set's questions of a stack that embeds with the server at EVERWORD_EMBED_URL, or with the local model."""
    asked: dict[Key, RankedAnswer] = {}
    async with own_target(Environment(os.environ), lambda text: None) as target:
        print(f"\nasking {bench_set.name}, embedded by {await target.model()}", flush=True)
        for index, world in enumerate(bench_set.datasets):
            async with namespace(target.settings, f"ranking-{secrets.token_hex(4)}-") as client:
                token, places = await fill(client, world, lambda text: None)
                assert await wait_until_embedded(client, token, lambda text: None)
                for question in questions(bench_set.datasets, index):
                    for variant in variants:
                        key = _key(world, question, variant)
                        asked[key] = await _ask(client, question, variant, places)
    return asked


def _key(world: Dataset, question: Question, variant: Variant) -> Key:
    return world.name, question.home, question.query.id, variant.name


async def _ask(
    client: Client, question: Question, variant: Variant, places: Places
) -> RankedAnswer:
    query = question.query
    response = await client.search_service.Search(variant.request(query.text))
    answer = read_answer(response, places)
    wanted = query.relevant if query.is_averaged and not question.foreign else frozenset()
    return RankedAnswer(
        answer,
        {
            message: result.score
            for result in response.results
            for message in messages_of(result.memory, places)
        },
        pb.Calibration.Name(response.calibration).removeprefix("CALIBRATION_"),
        max(map(relevance, response.results), default=0.0),
        judge(answer.ranked, wanted) if wanted else None,
    )


def of_variant(rankings: Rankings, name: str) -> Rankings:
    return {key: asked for key, asked in rankings.items() if key[-1] == name}


def gap(one: RankedAnswer, other: RankedAnswer, first: int = TOP) -> float:
    """Return the largest difference in score between two results of equal rank among the first; 0 for equal orders.

    Infinity if a result is missing in the other ranking.
    """
    places = zip_longest(one.answer.ranked[:first], other.answer.ranked[:first])
    pairs = [(a, b) for a, b in places if a != b]
    return max((asked.apart(a, b) for asked in (one, other) for a, b in pairs), default=0.0)


def overlap(one: RankedAnswer, other: RankedAnswer) -> float:
    """Return the share of first results that two answers have in common; 1 for two empty ones."""
    most = max(len(one.top), len(other.top))
    return len({*one.top} & {*other.top}) / most if most else 1.0


def drift(one: RankedAnswer, other: RankedAnswer) -> float:
    """Return the largest difference in score of a result among the first of both answers."""
    both = {*one.top} & {*other.top}
    return max((abs(one.scores[each] - other.scores[each]) for each in both), default=0.0)


def mean_metric(asked: Iterable[RankedAnswer], name: str) -> float:
    return statistics.fmean(each.metrics[name] for each in asked if each.metrics is not None)

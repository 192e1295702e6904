"""Ask the questions: each conversation is imported into a namespace of its own, asked, and deleted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from everword.bench.answer import Answer, read_answer
from everword.bench.bench_namespace import fill, namespace, wait_until_embedded
from everword.bench.dataset import Dataset, Query, Question
from everword.bench.metrics import judge
from everword.bench.native_format import BenchSet
from everword.bench.quality.probes import kind_of, questions
from everword.bench.report import NOTHING
from everword.client import Client, ClientSettings
from everword.v1.search_service_pb2 import GetConversationRequest, SearchRequest

PREFIX = "bench-quality-"
#: Results that are judged, which is the default number of Search.
DEPTH = 10
#: Least share of results inside the period for which a question counts as answered within it.
MOSTLY = 0.8
Row = dict[str, Any]


@dataclass
class QualityRun:
    """Asks the questions of sets of one Everword."""

    settings: ClientSettings
    patience: float
    step: Callable[[str], None] = lambda text: None
    note: Callable[[str], None] = lambda text: None
    #: False once no embedder was found; later conversations do not wait for vectors again.
    embedding: bool = field(default=True)

    async def measure(self, bench_set: BenchSet) -> list[Row]:
        """Return a row for each question. Raises CallError."""
        return [
            {"set": bench_set.name, **row}
            for index in range(len(bench_set.datasets))
            for row in await self._measure_dataset(bench_set, index)
        ]

    async def _measure_dataset(self, bench_set: BenchSet, index: int) -> list[Row]:
        dataset = bench_set.datasets[index]
        asked = questions(bench_set.datasets, index)
        if not asked:
            return []

        def say(text: str) -> None:
            self.step(f"{bench_set.name} {dataset.name}: {text}")

        async with namespace(self.settings, PREFIX) as client:
            token, places = await fill(client, dataset, say)
            if self.embedding:
                self.embedding = await wait_until_embedded(client, token, say, self.patience)
                if not self.embedding:
                    self.note("no embedder stores vectors; the figures are without them")
            say(f"asking {len(asked)} questions")
            rows: list[Row] = []
            for question in asked:
                request = _request(dataset, question.query, token)
                request.conversation_id = await _conversation_id(client, dataset, question.query)
                response = await client.search_service.Search(request)
                answer = read_answer(response, places)
                rows.append({"language": dataset.language, **judged(dataset, question, answer)})
            return rows


def _request(dataset: Dataset, query: Query, token: str) -> SearchRequest:
    """Return a search at default settings, at the time of the question."""
    request = SearchRequest(query=query.text, at_least_as_fresh=token)
    if query.end_time:
        request.reference_time.FromDatetime(query.end_time)
        # A question during the conversation is about earlier messages.
        if any(time > query.end_time for time in times(dataset).values()):
            request.filter.end_time.FromDatetime(query.end_time)
    return request


async def _conversation_id(client: Client, dataset: Dataset, query: Query) -> str:
    """Return the id of the conversation in which a follow-up question is asked; empty for other questions."""
    keys = (entry.target.key for entry in dataset.entries)
    asked_in = next(
        (key for key in keys if query.session and key.session_key == query.session), None
    )
    if asked_in is None:
        return ""
    request = GetConversationRequest(key=asked_in)
    return (await client.search_service.GetConversation(request)).conversation.id


def judged(dataset: Dataset, question: Question, answer: Answer) -> Row:
    """Return the row of a question: measures are None if they do not apply to its kind.

    Results from the conversation in which a follow-up question is asked do not count, because the caller has it.
    """
    query = question.query
    kind = kind_of(question)
    nothing = float(answer.verdict == NOTHING)
    row: Row = {"kind": kind, "query": query.id, "text": query.text, "verdict": answer.verdict}
    if question.foreign:
        return {**row, "accepted": 1 - nothing}
    before = _own_messages(dataset, query.session)
    ranked = [each for each in answer.ranked if each not in before][:DEPTH]
    metrics = judge(ranked, query.relevant)
    inside = _share_inside(dataset, query, ranked)
    return {
        **row,
        "ranked": ranked,
        "first": float(not query.relevant.isdisjoint(ranked[:1])),
        "first-3": float(not query.relevant.isdisjoint(ranked[:3])),
        **{name: metrics[name] for name in ("recall@5", "recall@10", "ndcg@10")},
        "nothing": nothing,
        "inside": inside,
        "mostly": None if inside is None else float(inside >= MOSTLY),
    }


def times(dataset: Dataset) -> dict[str, datetime]:
    """Return the time of each message that has one, by its external id."""
    return {
        entry.message.external_id: entry.message.create_time.ToDatetime(UTC)
        for entry in dataset.entries
        if entry.message.HasField("create_time")
    }


def _own_messages(dataset: Dataset, session: str) -> frozenset[str]:
    return frozenset(
        entry.message.external_id
        for entry in dataset.entries
        if session and entry.target.key.session_key == session
    )


def _share_inside(dataset: Dataset, query: Query, ranked: Sequence[str]) -> float | None:
    """Return the share of the results in the query's period, of as many as the period has messages, at most ten."""
    if query.period is None:
        return None
    since, until = query.period
    inside = {name for name, time in times(dataset).items() if since <= time < until}
    number = min(DEPTH, len(inside))
    return sum(each in inside for each in ranked[:number]) / number if number else None

"""The benchmark itself: dataset after dataset is filled, asked, and dropped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from everword.bench.answer import Answer, Place, read_answer
from everword.bench.bench_namespace import (
    MAX_WAIT_SECONDS,
    drop_leftovers,
    fill,
    namespace,
    wait_until_embedded,
)
from everword.bench.checkpoint import Checkpoint, FinishedDataset, Row
from everword.bench.dataset import Dataset, Question, questions
from everword.bench.metrics import judge
from everword.bench.native_format import BenchSet
from everword.bench.summaries import Summaries, wait_until_compacted
from everword.bench.variants import Variant
from everword.client import Client, ClientSettings
from everword.v1.search_service_pb2 import GetStatsRequest

#: Searches before the first that is measured: connections open, statements are prepared.
WARM_UP = 10
WARM_UP_CHARS = 80
CONCURRENT_SUMMARIES = (
    "summaries were made meanwhile. They took no places among the results, but BM25 counts their words, "
    "by which two runs may differ: for the same figures each time, stop the compactor's workers, or let "
    "an Everword be started for this."
)


class NotEmbedded(Exception):
    """Nobody makes the vectors without which a run is of no use."""


@dataclass(frozen=True)
class Watcher:
    """Is told how a run goes."""

    #: Called with a description of the current step.
    step: Callable[[str], None] = lambda text: None
    #: Called after each question, with how many were asked.
    asked: Callable[[int], None] = lambda number: None
    #: Gets a line that the user has to see.
    note: Callable[[str], None] = lambda text: None


@dataclass
class Run:
    """Asks sets of questions of one Everword."""

    settings: ClientSettings
    variants: Sequence[Variant]
    checkpoint: Checkpoint
    watcher: Watcher = field(default_factory=Watcher)
    #: True to summarise everything before the questions.
    summarised: bool = False
    #: True if a run without vectors is useless.
    needs_vectors: bool = False
    #: False once no embedder was found; the run does not wait for vectors again.
    embedding: bool = True
    max_wait_s: float = MAX_WAIT_SECONDS
    _seen: set[str] = field(default_factory=set)
    _noted: set[str] = field(default_factory=set)

    @property
    def _prefix(self) -> str:
        return f"bench-{self.checkpoint.run}-"

    async def measure(self, sets: Sequence[BenchSet]) -> None:
        """Ask everything that the checkpoint does not hold yet. Raises CallError and NotEmbedded."""
        await drop_leftovers(self.settings, self._prefix)
        done = {(each.set, each.dataset) for each in self.checkpoint.finished}
        for each in self.checkpoint.finished:
            self._seen |= {row["text"] for row in each.rows}
            self.watcher.asked(len(each.rows))
        for bench_set in sets:
            for index, dataset in enumerate(bench_set.datasets):
                if (bench_set.name, dataset.name) not in done:
                    await self._measure_world(bench_set, index)

    async def _measure_world(self, bench_set: BenchSet, index: int) -> None:
        dataset = bench_set.datasets[index]

        def say(text: str) -> None:
            self.watcher.step(f"{bench_set.name} {dataset.name}: {text}")

        async with namespace(self.settings, self._prefix) as client:
            token, places = await fill(client, dataset, say)
            embedded = await self._embedded(client, token, say)
            summaries = Summaries(client, places)
            if self.summarised and not await wait_until_compacted(client, say, self.max_wait_s):
                self.watcher.note(
                    f"nothing was summed up in {self.max_wait_s:.0f} seconds: are the workers of the "
                    "compactor running? The benchmark goes on with the summaries that there are."
                )
            say("asking")
            await self._warm_up(client, dataset)
            rows: list[Row] = []
            for question in questions(bench_set.datasets, index):
                for variant in self._in_turn(len(rows)):
                    answer, row = await self._ask(client, question, variant, places, summaries)
                    self._note_degraded(answer)
                    rows.append({"set": bench_set.name, "conversation": dataset.name, **row})
                    self.watcher.asked(1)
                self._seen.add(question.query.text)
            compacted = None
            if self.summarised:
                evidence = {each for row in rows if row["answerable"] for each in row["relevant"]}
                compacted = (await summaries.measure()).as_row(evidence)
            else:
                await self._note_summaries(client)
            say("dropping")
        self.checkpoint.add(
            FinishedDataset(bench_set.name, dataset.name, embedded, rows, compacted)
        )

    async def _embedded(self, client: Client, token: str, say: Callable[[str], None]) -> bool:
        if self.embedding and not await wait_until_embedded(client, token, say, self.max_wait_s):
            if self.needs_vectors:
                raise NotEmbedded
            self.embedding = False
            self.watcher.note(
                f"no vector was stored in {self.max_wait_s:.0f} seconds: is an embedder with a worker "
                "running? The benchmark goes on without vectors, and its `model` is null."
            )
        return self.embedding

    async def _warm_up(self, client: Client, dataset: Dataset) -> None:
        for entry in dataset.entries[:WARM_UP]:
            text = entry.message.content.strip()[:WARM_UP_CHARS]
            for variant in self.variants:
                await client.search_service.Search(variant.request(text or "warm-up"))

    def _in_turn(self, asked: int) -> Iterator[Variant]:
        """Yield the variants, each question's first another: the first pays for the query's vector."""
        count = len(self.variants)
        first = asked // count
        for step in range(count):
            yield self.variants[(first + step) % count]

    async def _ask(
        self,
        client: Client,
        question: Question,
        variant: Variant,
        places: dict[str, Place],
        summaries: Summaries,
    ) -> tuple[Answer, Row]:
        query = question.query
        fresh = query.text not in self._seen
        self._seen.add(query.text)
        request = variant.request(query.text)
        started = time.perf_counter()
        response = await client.search_service.Search(request)
        elapsed = time.perf_counter() - started
        stands_for = await summaries.covered_messages(response.results)
        answer = read_answer(response, places, variant.is_explained, stands_for)
        relevant = frozenset() if question.foreign else query.relevant
        averaged = query.is_averaged and not question.foreign
        return answer, {
            "variant": variant.name,
            "query": query.id,
            "query_of": question.home,
            "text": query.text,
            "category": query.category,
            "answerable": averaged,
            "foreign": question.foreign,
            "relevant": sorted(relevant),
            "ranked": list(answer.ranked),
            "top_score": answer.top_score,
            "chance": answer.chance,
            "verdict": answer.verdict,
            "degraded": sorted(answer.degraded),
            "latency_ms": elapsed * 1000,
            "first_asking": fresh,
            "metrics": judge(answer.ranked, relevant) if relevant else None,
            **_evidence(answer, query.relevant if averaged else frozenset()),
        }

    def _note_degraded(self, answer: Answer) -> None:
        for arm, reason in answer.degraded.items():
            self._note_once(f"the {arm} arm could not answer: {reason}", about=arm)

    def _note_once(self, text: str, about: str = "") -> None:
        if (about or text) not in self._noted:
            self._noted.add(about or text)
            self.watcher.note(text)

    async def _note_summaries(self, client: Client) -> None:
        """Say that there are summaries, though none were asked for."""
        stats = await client.search_service.GetStats(GetStatsRequest())
        if stats.summaries.summaries:
            self._note_once(CONCURRENT_SUMMARIES)


def _evidence(answer: Answer, relevant: frozenset[str]) -> Row:
    """Return the evidence of each result and whether it is relevant; None if a result has no evidence."""
    if answer.explained is None:
        return {}
    if any(found.evidence is None for found in answer.explained):
        return {"evidence": None}
    return {
        "evidence": [
            [found.evidence, int(not relevant.isdisjoint(found.messages))]
            for found in answer.explained
        ]
    }

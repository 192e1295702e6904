"""Measurements of contexts: share of the evidence, repetition, and cost.

The baseline is the result list of Search cut at the same budget, which any caller could use as a context.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from everword.bench.answer import Place
from everword.bench.dataset import Dataset, Query
from everword.client import Client
from everword.text.tokens.counter import TokenCounter
from everword.transcripts import Entry
from everword.v1 import context_service_pb2 as context_pb
from everword.v1 import search_service_pb2 as search_pb
from everword.v1.memory_pb2 import NewMessage

BUDGETS = (1000, 2000, 4000)
PROFILES = ("recall", "balanced")
#: Contexts that are counted as used before the same questions are asked once more.
USES = 80
#: Words in a row that are looked for a second time.
GRAM = 5
#: The most results of a page.
_PAGE = 200
_PASSAGE_CHARS = 4000
#: The number, the kind, the relevance and other marks before the author.
_MARKS = re.compile(r"^\[\d+[^\]]*\](?:\d+%)? ")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

Row = dict[str, Any]


@dataclass(frozen=True)
class ContextFigures:
    """The queries of a dataset, and how to read their answers."""

    client: Client
    places: dict[str, Place]
    counter: TokenCounter

    async def ask(self, query: Query, dates: str) -> list[Row]:
        """Return a row for each profile and budget."""
        request = search_pb.SearchRequest(
            query=query.text, page_size=_PAGE, max_content_chars=_PASSAGE_CHARS
        )
        found = (await self.client.search_service.Search(request)).results
        return [
            {
                "query": query.id,
                "dates": dates,
                "profile": profile,
                "budget": budget,
                "search": _share(self._cut(found, budget), query),
                **await self._build(query, profile, budget),
            }
            for profile in PROFILES
            for budget in BUDGETS
        ]

    async def evidence(self, query: Query, profile: str, counted: bool) -> float:
        """Return the share of what answers a question in its default context, which counts as a use or not."""
        request = context_pb.BuildContextRequest(
            query=query.text, profile=profile, skip_use_count=not counted
        )
        response = await self.client.context_service.BuildContext(request)
        return _share(self._memory_ids(response), query)

    async def _build(self, query: Query, profile: str, budget: int) -> Row:
        request = context_pb.BuildContextRequest(
            query=query.text, profile=profile, token_budget=budget, skip_use_count=True
        )
        response = await self.client.context_service.BuildContext(request)
        tokens = self.counter.count(response.text)
        items = [item for block in response.blocks for item in block.items]
        said = sum(self.counter.count(_words(item.text)) for item in items)
        return {
            "context": _share(self._memory_ids(response), query),
            "tokens": tokens,
            "filled": tokens / budget,
            "more": response.omitted > 0,
            "provenance": 1 - said / tokens if tokens else 0.0,
            "repeated": repeated(response.text),
            "ids": len(_UUID.findall(response.text)),
        }

    def _memory_ids(self, response: context_pb.BuildContextResponse) -> set[str]:
        ids = {item.memory_id for block in response.blocks for item in block.items}
        return {self.places[id_].external_id for id_ in ids if id_ in self.places}

    def _cut(self, results: Sequence[search_pb.SearchResult], budget: int) -> set[str]:
        """Return the messages of the results that fit, best first; results that do not fit are skipped."""
        held, left = set(), budget
        for result in results:
            cost = self.counter.count(f"{result.memory.author}: {result.passage}\n")
            if cost <= left and result.memory.id in self.places:
                left -= cost
                held.add(self.places[result.memory.id].external_id)
        return held


def sample_queries(dataset: Dataset, number: int) -> list[Query]:
    """Return some of the questions that a dataset answers, evenly taken from all."""
    queries = [each for each in dataset.queries if each.is_averaged and each.relevant]
    step = max(1, len(queries) // number)
    return queries[::step][:number]


def ending_now(dataset: Dataset, now: datetime) -> Dataset:
    """Return the dataset with its dates moved so that the last message is sent now; undated messages stay undated."""
    times = [
        each.message.create_time.ToDatetime(UTC)
        for each in dataset.entries
        if each.message.HasField("create_time")
    ]
    if not times:
        return dataset
    later = now - max(times)
    return replace(dataset, entries=tuple(_moved(each, later) for each in dataset.entries))


def repeated(text: str) -> float:
    """Return the share of runs of five words that occurred before in the text."""
    words = re.findall(r"\w+", text.lower())
    grams = [tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def summarise(rows: Sequence[Row]) -> list[Row]:
    """Return means for each set, kind of dates, profile and budget, and the ratio of a context to a cut search."""
    keys = dict.fromkeys(
        (each["set"], each["dates"], each["profile"], each["budget"]) for each in rows
    )
    return [_summary(key, rows) for key in keys]


def _summary(key: tuple[Any, ...], rows: Sequence[Row]) -> Row:
    names = ("set", "dates", "profile", "budget")
    own = [each for each in rows if tuple(each[name] for name in names) == key]
    mean = {
        name: statistics.fmean(each[name] for each in own)
        for name in ("search", "context", "provenance", "repeated")
    }
    full = [each["filled"] for each in own if each["more"]]
    return {
        **dict(zip(names, key, strict=True)),
        "questions": len(own),
        **mean,
        "ratio": mean["context"] / mean["search"] if mean["search"] else None,
        "filled": statistics.fmean(full) if full else None,
        "over budget": sum(each["tokens"] > each["budget"] for each in own),
        "ids": sum(each["ids"] for each in own),
    }


def _moved(entry: Entry, later: timedelta) -> Entry:
    if not entry.message.HasField("create_time"):
        return entry
    message = NewMessage.FromString(entry.message.SerializeToString())
    message.create_time.FromDatetime(entry.message.create_time.ToDatetime(UTC) + later)
    return replace(entry, message=message)


def _share(held: set[str], query: Query) -> float:
    return len(held & query.relevant) / len(query.relevant)


def _words(line: str) -> str:
    """Return the author and text of a line, without its marks."""
    return _MARKS.sub("", line)

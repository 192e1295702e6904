"""Measure contexts: how much of the evidence they show, in how many tokens, and how much else.

The baseline is the result list of Search cut at the same number of tokens, which any caller could use as a context.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
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
from everword.v1.memory_pb2 import MemoryFilter, NewMessage

BUDGETS = (500, 1000, 2000, 4000)
#: The server's default profile.
PROFILE = "recall"
#: Figures of a row whose mean is reported; None is left out of a mean.
FIGURES = (
    "context",
    "answer",
    "search",
    "s-answer",
    "relevant",
    "tokens",
    "filled",
    "cut",
    "lost",
    "position",
    "nothing",
    "provenance",
    "repeated",
)
#: Words in a row that are looked for a second time.
_GRAM = 5
#: The most results of a page.
_PAGE = 200
_PASSAGE_CHARS = 4000
#: The number, the kind, the relevance and other marks before the author.
_MARKS = re.compile(r"^\[\d+[^\]]*\](?:\d+%)? ")

Row = dict[str, Any]


@dataclass(frozen=True)
class ContextFigures:
    """Measures contexts for the questions of one dataset."""

    client: Client
    places: Mapping[str, Place]
    #: Text of each message, by its external id.
    texts: Mapping[str, str]
    counter: TokenCounter

    async def measure(self, query: Query, profile: str) -> list[Row]:
        """Return a row for each budget."""
        request = search_pb.SearchRequest(
            query=query.text,
            page_size=_PAGE,
            max_content_chars=_PASSAGE_CHARS,
            profile=profile,
            filter=_filter(query),
        )
        results = (await self.client.search_service.Search(request)).results
        return [
            {
                "query": query.id,
                "profile": profile,
                "budget": budget,
                **self._cut(results, budget, query),
                **await self._build(query, profile, budget),
            }
            for budget in BUDGETS
        ]

    async def evidence(self, query: Query, profile: str, *, counted: bool) -> float:
        """Return the share of the evidence in a default context, which counts as a use if `counted`."""
        request = context_pb.BuildContextRequest(
            query=query.text,
            profile=profile,
            skip_use_count=not counted,
            filter=_filter(query),
        )
        response = await self.client.context_service.BuildContext(request)
        return _share(self._shown(response), query)

    async def _build(self, query: Query, profile: str, budget: int) -> Row:
        request = context_pb.BuildContextRequest(
            query=query.text,
            profile=profile,
            token_budget=budget,
            skip_use_count=True,
            filter=_filter(query),
        )
        response = await self.client.context_service.BuildContext(request)
        shown = self._shown(response)
        tokens = self.counter.count(response.text)
        items = [item for block in response.blocks for item in block.items]
        stated = sum(self.counter.count(_MARKS.sub("", item.text)) for item in items)
        return {
            **self._compare(shown, query),
            "relevant": len(shown.keys() & query.relevant) / len(items) if items else None,
            "tokens": tokens,
            "filled": tokens / budget,
            "position": _position(list(shown), query),
            "nothing": float(response.verdict == search_pb.VERDICT_NOTHING_RELEVANT),
            "provenance": 1 - stated / tokens if tokens else None,
            "repeated": repeated(response.text),
        }

    def _compare(self, shown: Mapping[str, str], query: Query) -> Row:
        """Return the share of the evidence in a context, and its losses by cutting messages."""
        present = shown.keys() & query.relevant
        whole = [_spaced(self.texts[id_]) in _spaced(shown[id_]) for id_ in present]
        answered = _is_answered(shown, query)
        answerable = _is_answered({id_: self.texts[id_] for id_ in present}, query)
        return {
            "context": _share(shown, query),
            "answer": answered,
            "cut": 1 - statistics.fmean(whole) if whole else None,
            "lost": None if answered is None else float(bool(answerable) and not answered),
        }

    def _shown(self, response: context_pb.BuildContextResponse) -> dict[str, str]:
        """Return the text shown of each message, in the order of the context."""
        items = (item for block in response.blocks for item in block.items)
        return {
            self.places[item.memory_id].external_id: item.text
            for item in items
            if item.memory_id in self.places
        }

    def _cut(self, results: Sequence[search_pb.SearchResult], budget: int, query: Query) -> Row:
        """Return the share of the evidence in the best results that fit; other results are skipped."""
        shown, left = dict[str, str](), budget
        for result in results:
            text = f"{result.memory.author}: {result.passage}"
            cost = self.counter.count(f"{text}\n")
            if cost <= left and result.memory.id in self.places:
                left -= cost
                shown[self.places[result.memory.id].external_id] = text
        return {"search": _share(shown, query), "s-answer": _is_answered(shown, query)}


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
    queries = tuple(
        replace(each, end_time=each.end_time and each.end_time + later) for each in dataset.queries
    )
    entries = tuple(_moved(each, later) for each in dataset.entries)
    return replace(dataset, entries=entries, queries=queries)


def repeated(text: str) -> float:
    """Return the share of runs of five words that occurred before in the text."""
    words = re.findall(r"\w+", text.lower())
    grams = [tuple(words[at : at + _GRAM]) for at in range(len(words) - _GRAM + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def summarise(rows: Sequence[Row]) -> list[Row]:
    """Return the means for each profile, set and budget, then for each profile and budget over the sets."""
    figures = [
        _means(own, {"set": name, "profile": profile, "budget": budget})
        for (profile, name, budget), own in _grouped(rows, ("profile", "set", "budget")).items()
    ]
    # Sets count alike, whatever their number of questions.
    over_sets = [
        _means(own, {"set": "all", "profile": profile, "budget": budget})
        for (profile, budget), own in _grouped(figures, ("profile", "budget")).items()
    ]
    return figures + over_sets


def _grouped(rows: Sequence[Row], names: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def _means(rows: Sequence[Row], key: Row) -> Row:
    values = {name: [row[name] for row in rows if row[name] is not None] for name in FIGURES}
    means = {name: statistics.fmean(own) if own else None for name, own in values.items()}
    return {**key, "questions": sum(row.get("questions", 1) for row in rows), **means}


def _moved(entry: Entry, later: timedelta) -> Entry:
    if not entry.message.HasField("create_time"):
        return entry
    message = NewMessage.FromString(entry.message.SerializeToString())
    message.create_time.FromDatetime(entry.message.create_time.ToDatetime(UTC) + later)
    return replace(entry, message=message)


def _filter(query: Query) -> MemoryFilter:
    """Return the filter of a question that is asked before the end of its conversation."""
    found = MemoryFilter()
    if query.end_time:
        found.end_time.FromDatetime(query.end_time)
    return found


def _share(shown: Mapping[str, str], query: Query) -> float:
    return len(shown.keys() & query.relevant) / len(query.relevant)


def _is_answered(shown: Mapping[str, str], query: Query) -> float | None:
    """Return 1 if the text shown of a relevant message contains an answer, else 0; None if answers are unknown."""
    if not query.answers:
        return None
    texts = [_spaced(text) for id_, text in shown.items() if id_ in query.relevant]
    return float(any(_spaced(answer) in text for answer in query.answers for text in texts))


def _position(ids: Sequence[str], query: Query) -> float | None:
    """Return the mean place of the evidence among the messages shown: 0 is the first, 1 the last."""
    places = [place for place, id_ in enumerate(ids) if id_ in query.relevant]
    return statistics.fmean(places) / (len(ids) - 1) if places and len(ids) > 1 else None


def _spaced(text: str) -> str:
    return " ".join(text.casefold().split())

"""Measurements of contexts: evidence that is shown, cut or lost, and means over rows."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from everword.bench.answer import Place
from everword.bench.contexts import BUDGETS, PROFILE, ContextFigures, summarise
from everword.bench.dataset import Query
from everword.bench.native_format import read_set
from everword.samples import sample_path
from everword.text.tokens.counter import packaged_counter
from everword.v1 import context_service_pb2 as context_pb
from everword.v1 import search_service_pb2 as search_pb
from everword.v1.memory_pb2 import Memory

BOAT = "I sold the boat last spring. It lies in the harbour of Sutomore now, on the second pier."
TEXTS = {"m1": BOAT, "m2": "Lunch was fine."}
QUERY = Query(
    "q1",
    "Where is the boat?",
    "single-hop",
    frozenset({"m1"}),
    True,
    ("Sutomore",),
    datetime(2026, 5, 1, tzinfo=UTC),
)


def measure(*shown: tuple[str, str]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the rows for a context and a search that show these texts, and the requests for contexts."""
    requests: list[Any] = []

    async def build(request: context_pb.BuildContextRequest) -> context_pb.BuildContextResponse:
        requests.append(request)
        items = [context_pb.ContextItem(memory_id=id_, text=text) for id_, text in shown]
        text = "\n".join(text for _, text in shown)
        return context_pb.BuildContextResponse(
            blocks=[context_pb.ContextBlock(items=items)], text=text
        )

    async def search(_: search_pb.SearchRequest) -> search_pb.SearchResponse:
        results = [
            search_pb.SearchResult(memory=Memory(id=id_, author="Emi"), passage=text)
            for id_, text in shown
        ]
        return search_pb.SearchResponse(results=results)

    client: Any = SimpleNamespace(
        context_service=SimpleNamespace(BuildContext=build),
        search_service=SimpleNamespace(Search=search),
    )
    places = {"1": Place(0, 1, "m1"), "2": Place(0, 2, "m2")}
    figures = ContextFigures(client, places, TEXTS, packaged_counter())
    return asyncio.run(figures.measure(QUERY, PROFILE)), requests


def test_context_that_cuts_the_answer_counts_evidence_as_lost() -> None:
    rows, _ = measure(("2", "[1] Emi: Lunch was fine."), ("1", "[2] Emi: I sold the boat …"))
    assert [row["budget"] for row in rows] == list(BUDGETS)
    row = rows[0]
    assert (row["context"], row["answer"], row["lost"], row["cut"]) == (1, 0, 1, 1)
    assert (row["relevant"], row["position"]) == (0.5, 1)


def test_context_with_the_whole_message_loses_nothing() -> None:
    rows, _ = measure(("1", f"[1] Emi: {BOAT}"), ("2", "[2] Emi: Lunch was fine."))
    row = rows[0]
    assert (row["context"], row["answer"], row["lost"], row["cut"]) == (1, 1, 0, 0)
    assert (row["search"], row["s-answer"], row["position"]) == (1, 1, 0)


def test_search_is_cut_at_the_budget_of_the_context() -> None:
    long = "word " * 700
    rows, _ = measure(("1", long))
    assert [row["search"] for row in rows] == [0, 1, 1, 1]


def test_contexts_end_before_the_time_of_the_question() -> None:
    _, requests = measure(("1", BOAT))
    assert {each.filter.end_time.ToDatetime(UTC) for each in requests} == {QUERY.end_time}


def test_means_leave_out_unknown_figures_and_weigh_sets_alike() -> None:
    shown, _ = measure(("1", BOAT))
    empty, _ = measure()
    rows = [{"set": "a", **row} for row in [*shown, *empty]] + [
        {"set": "b", **row} for row in empty
    ]
    figures = {(each["set"], each["budget"]): each for each in summarise(rows)}
    assert figures["a", 500]["context"] == pytest.approx(0.5)
    assert figures["a", 500]["relevant"] == 1
    assert figures["b", 500]["relevant"] is None
    assert figures["all", 500]["context"] == pytest.approx(0.25)
    assert figures["all", 500]["questions"] == 3


def test_sample_set_has_times_of_its_questions() -> None:
    queries = read_set(sample_path()).datasets[0].queries
    assert all(each.end_time is None or each.end_time.tzinfo for each in queries)

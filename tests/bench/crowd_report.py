"""Summary of the answers alone and in the crowd."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from everword.bench.dataset import Dataset, Query
from everword.bench.metrics import judge, percentile
from everword.bench.variants import PROFILES, Variant
from everword.cli.output import print_table
from everword.v1 import search_service_pb2 as pb

#: Exact BM25, and the compared profile.
BM25 = Variant("lexical", {"mode": pb.SEARCH_MODE_LEXICAL})
RECALL = PROFILES[0]
VARIANTS = (BM25, RECALL)
METRICS = ("recall@10", "ndcg@10")
#: Number of results alone that are looked up in the crowd.
TOP = 10


@dataclass(frozen=True)
class Hit:
    """A result. A message of the question's own conversation has its external id; others are only counted."""

    message: str
    score: float
    relevance: float | None


@dataclass(frozen=True)
class QuestionRun:
    """The result of a question with one way of ranking."""

    hits: tuple[Hit, ...]
    #: For a page of `PAGE_SIZE`, with the query's vector cached by the embedder.
    latency_ms: float
    degraded: tuple[str, ...]


Report = dict[str, Any]
#: By dataset, query id and variant.
Answers = dict[tuple[str, str, str], QuestionRun]


def asked_of(dataset: Dataset) -> list[Query]:
    return [query for query in dataset.queries if query.is_averaged and query.relevant]


def figures(answers: Answers, datasets: Sequence[Dataset], variant: Variant) -> dict[str, Any]:
    """Return the metrics and times of one way of ranking."""
    judged: list[dict[str, float]] = []
    asked: list[QuestionRun] = []
    for dataset in datasets:
        for query in asked_of(dataset):
            answer = answers[dataset.name, query.id, variant.name]
            asked.append(answer)
            judged.append(judge([hit.message for hit in answer.hits], query.relevant))
    times = [answer.latency_ms for answer in asked]
    return {
        **{name: statistics.fmean(each[name] for each in judged) for name in METRICS},
        "latency_ms": {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)},
        "degraded": sum(bool(answer.degraded) for answer in asked),
    }


def changes(alone: Answers, crowd: Answers, variant: Variant) -> dict[str, Any]:
    """Return how much the crowd changes the score and the relevance of messages to queries."""
    score: list[float] = []
    relevance: list[float] = []
    pairs = 0
    for key, answer in alone.items():
        if key[-1] != variant.name:
            continue
        there = {hit.message: hit for hit in crowd[key].hits}
        for hit in answer.hits[:TOP]:
            pairs += 1
            if (other := there.get(hit.message)) is None:
                continue
            score.append(abs(hit.score - other.score))
            if hit.relevance is not None and other.relevance is not None:
                relevance.append(abs(hit.relevance - other.relevance))
    return {
        "pairs": pairs,
        "not_found": pairs - len(score),
        "score": _spread(score),
        "relevance": _spread(relevance),
    }


def _spread(values: Sequence[float]) -> dict[str, float | None]:
    return {"p95": percentile(values, 0.95), "max": max(values, default=None)}


def build_report(
    alone: Answers, crowd: Answers, datasets: Sequence[Dataset], **about: Any
) -> dict[str, Any]:
    ways: dict[str, dict[str, Any]] = {}
    for variant in VARIANTS:
        before, after = (figures(each, datasets, variant) for each in (alone, crowd))
        fall = {name: before[name] - after[name] for name in METRICS}
        change = changes(alone, crowd, variant)
        ways[variant.name] = {"alone": before, "crowd": after, "fall": fall, "change": change}
    falls = [ways[variant.name]["fall"] for variant in (RECALL, BM25)]
    return {
        **about,
        "queries": sum(len(asked_of(dataset)) for dataset in datasets),
        "ways": ways,
        "falls_more": {name: falls[0][name] - falls[1][name] for name in METRICS},
    }


def print_report(report: dict[str, Any]) -> None:
    rows: list[tuple[str, ...]] = []
    for name, way in report["ways"].items():
        for metric in METRICS:
            values = (way["alone"][metric], way["crowd"][metric], way["fall"][metric])
            rows.append((name, metric, *(f"{value:.3f}" for value in values)))
        for share in ("p50", "p95"):
            times = (way[side]["latency_ms"][share] for side in ("alone", "crowd"))
            rows.append((name, f"{share}, ms", *(f"{value:.1f}" for value in times), ""))
    print_table(("ranked by", "", "alone", "crowd", "fall"), rows, right="alone crowd fall")
    changed: list[tuple[str, ...]] = []
    for name, way in report["ways"].items():
        change = way["change"]
        for what in ("relevance", "score"):
            spread = ("–" if v is None else f"{v:.4f}" for v in change[what].values())
            counts = (str(change["pairs"]), str(change["not_found"]))
            changed.append((name, what, *spread, *counts))
    columns = ("ranked by", "change of", "p95", "max", "pairs", "not found")
    print_table(columns, changed, right="p95 max pairs")
    more = ", ".join(f"{name} {value:+.3f}" for name, value in report["falls_more"].items())
    print(f"{RECALL.name} falls more than exact BM25 by: {more}")
    degraded = {name: way["crowd"]["degraded"] for name, way in report["ways"].items()}
    if any(degraded.values()):
        print(f"answers in the crowd that went without an arm: {degraded}")

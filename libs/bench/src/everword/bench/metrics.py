"""Measures of a ranking, by the messages that are known to be relevant; gains are binary."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

RECALL_AT = (1, 5, 10, 20, 50)
NDCG_AT = 10
NAMES = (*(f"recall@{k}" for k in RECALL_AT), f"ndcg@{NDCG_AT}", "mrr")


def judge(ranked: Sequence[str], relevant: AbstractSet[str]) -> dict[str, float]:
    """Return every metric of one ranking without repetitions; `relevant` must not be empty."""
    places = [place for place, each in enumerate(ranked, start=1) if each in relevant]
    values = {f"recall@{k}": sum(place <= k for place in places) / len(relevant) for k in RECALL_AT}
    ideal = range(1, min(len(relevant), NDCG_AT) + 1)
    values[f"ndcg@{NDCG_AT}"] = _gain(p for p in places if p <= NDCG_AT) / _gain(ideal)
    values["mrr"] = 1 / places[0] if places else 0.0
    return values


def _gain(places: Iterable[int]) -> float:
    return sum(1 / math.log2(place + 1) for place in places)


def average(values: Sequence[Mapping[str, float]]) -> dict[str, float | None]:
    """Return the mean of each metric over the queries; None without queries."""
    if not values:
        return dict.fromkeys(NAMES)
    return {name: statistics.fmean(each[name] for each in values) for name in NAMES}


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Return the chance that a positive lies above a negative, where equal ones count half; None without either."""
    if not positive or not negative:
        return None
    above = 0.0
    below = 0
    ordered = sorted(negative)
    start = 0
    for value in sorted(positive):
        while below < len(ordered) and ordered[below] < value:
            below += 1
        start = max(start, below)
        while start < len(ordered) and ordered[start] == value:
            start += 1
        above += below + (start - below) / 2
    return above / (len(positive) * len(negative))


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the value below which `share` of the values lie, between the two nearest; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low, high = math.floor(place), math.ceil(place)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)

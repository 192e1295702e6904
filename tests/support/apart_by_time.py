"""Timing check: finds RPCs whose duration reveals whether an id exists in another namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import MethodDescriptor

from fuzz.requests import WATCHES
from scripts.recipes import Recipe
from support.probes import Path, paths, values_for
from support.twins import Twins, recipes


def likely_longer(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the probability that a random `first` time exceeds a random `second` time; 0.5 means indistinguishable.

    This is Mann and Whitney's U, divided by the number of pairs.
    """
    longer = sum((a > b) + (a == b) / 2 for a in first for b in second)
    return longer / (len(first) * len(second))


async def time_apart(both: Twins, theirs: Any, rounds: int) -> tuple[int, list[str]]:
    """Time each RPC with ids of the other namespace and with ids that never existed, alternately.

    Return the number of fields tried, and those for which durations differ. A difference that could be chance is
    decided by four times as many calls.
    """
    tried, wrong = 0, []
    for method, recipe in recipes():
        for path in paths(method):
            values = values_for(method, path, theirs, {}) if path.is_id else None
            if values is None or method.name in WATCHES:
                continue
            tried += 1
            likely = await _times(both, method, recipe, path, values, rounds)
            if abs(likely - 0.5) > 0.3:
                likely = await _times(both, method, recipe, path, values, 4 * rounds)
                if abs(likely - 0.5) > 0.2:
                    wrong.append(f"{method.name} {path}: {likely:.2f}")
        await both.go_on(method, recipe)
    return tried, wrong


async def _times(
    both: Twins,
    method: MethodDescriptor,
    recipe: Recipe,
    path: Path,
    values: tuple[str, str],
    rounds: int,
) -> float:
    """Return the probability that a call with the first value takes longer; each twin gets both, in either order."""
    first: list[float] = []
    second: list[float] = []
    for number in range(2 * rounds):
        turned = number % 2
        told = await both.probe(method, recipe, path, values[::-1] if turned else values)
        for at, each in enumerate(told):
            (first, second)[at ^ turned].append(each.seconds)
    return likely_longer(first, second)

"""Which items and namespaces are asked for."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any

from langgraph.store.base import MatchCondition

from everword.adapters.langgraph.items import Namespace

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether each field matches the filter: equal, or by operators such as `$gt`, also for nested fields.

    This follows LangGraph's InMemoryStore, except that values that cannot be compared do not match, instead of failing.
    Raises ValueError for an unknown operator.
    """
    return all(_is(value.get(name), given) for name, given in wanted.items())


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return all(_satisfies(value, name, given) for name, given in wanted.items())
        return isinstance(value, Mapping) and matches(value, wanted)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(map(_is, value, wanted))
        )
    return bool(value == wanted)


def _satisfies(value: Any, name: str, given: Any) -> bool:
    if name == "$eq":
        return bool(value == given)
    if name == "$ne":
        return bool(value != given)
    if name not in _ORDERS:
        raise ValueError(f"Unsupported operator: {name}")
    try:
        return _ORDERS[name](float(value), float(given))
    except (TypeError, ValueError, OverflowError):
        pass
    try:
        # Such as days, `2026-04-18`.
        return bool(_ORDERS[name](value, given))
    except TypeError:
        # A missing value, or one of another type, is neither more nor less.
        return False


def is_listed(namespace: Namespace, conditions: tuple[MatchCondition, ...]) -> bool:
    """Return whether a namespace begins or ends as all conditions require."""
    return all(_fits(namespace, each) for each in conditions)


def _fits(namespace: Namespace, condition: MatchCondition) -> bool:
    size = len(condition.path)
    if len(namespace) < size:
        return False
    part = namespace[:size] if condition.match_type == "prefix" else namespace[-size:]
    return not size or all(b in ("*", a) for a, b in zip(part, condition.path, strict=True))


def common_prefix(conditions: tuple[MatchCondition, ...]) -> Namespace:
    """Return what every namespace begins with that the conditions let through."""
    starts = (each.path for each in conditions if each.match_type == "prefix")
    known = [tuple(takewhile(lambda label: label != "*", path)) for path in starts]
    return max(known, key=len, default=())

"""Whose calls are refused at once, since too many of them wait already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from cachetools import TTLCache

from everword.admission.fair_share import Group
from everword.rpc.authentication import DEFAULT_NAMESPACE, NAMESPACE_HEADER
from everword.rpc.capacity import Capacity

#: What a call shows of its caller: the key, and the namespace that it names. Nobody has looked at it yet.
Shown: TypeAlias = tuple[str, str]
#: For so long it is known with whom a caller shares; after it, the next of its calls is let in.
KNOWN_S = 1.0
_CALLERS = 4096


def shown_by(metadata: Mapping[str, str]) -> Shown:
    """Return what a call shows of its caller, whatever way it is written."""
    key = metadata.get("authorization", "").partition(" ")[2].strip()
    return key, metadata.get(NAMESPACE_HEADER) or DEFAULT_NAMESPACE


class Shedding:
    """Knows callers whose group had too many calls, by what they showed when they were let in.

    Nothing else is looked at before a call of theirs is refused, so that this costs little. For use within one event
    loop.
    """

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self._groups: TTLCache[Shown, Group] = TTLCache(_CALLERS, KNOWN_S)

    @property
    def is_active(self) -> bool:
        """Whether there may be such a caller."""
        return len(self._groups) > 0

    def refuses(self, shown: Shown) -> bool:
        """Tell whether a call is one too many, and count it."""
        group = self._groups.get(shown)
        return group is not None and self._capacity.turns_away(group)

    def note(self, shown: Shown, group: Group) -> None:
        """Note with whom a caller shares, where they have too many calls."""
        if self._capacity.is_full(group):
            self._groups[shown] = group

"""Refuses calls at once if their caller has too many waiting calls, or if its namespace is over its rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from cachetools import TTLCache

from everword.admission.fair_share import Group
from everword.domain.errors import EverwordError, Overloaded
from everword.quotas.usage import QuotaUsage
from everword.rpc.authentication import DEFAULT_NAMESPACE, NAMESPACE_HEADER
from everword.rpc.capacity import Capacity

#: The unverified identity of a caller: the key and the namespace in the metadata.
Shown: TypeAlias = tuple[str, str]
#: Seconds for which a caller's group is cached; after it, the caller's next call is admitted.
KNOWN_S = 1.0
_CALLERS = 4096


def claimed_identity(metadata: Mapping[str, str]) -> Shown:
    """Return the unverified identity of a caller, in whatever form it is written."""
    key = metadata.get("authorization", "").partition(" ")[2].strip()
    return key, metadata.get(NAMESPACE_HEADER) or DEFAULT_NAMESPACE


class Shedding:
    """Remembers callers whose group had too many calls or is over its rate, by the metadata of an accepted call.

    A later call with the same metadata is refused before any other work, so that the refusal costs little: in a burst
    over a rate, calls otherwise arrive faster than they are refused, and gRPC drops them. For use within one event
    loop.
    """

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self._groups: TTLCache[Shown, Group] = TTLCache(_CALLERS, KNOWN_S)
        self._limited: TTLCache[Shown, QuotaUsage] = TTLCache(_CALLERS, KNOWN_S)

    @property
    def is_active(self) -> bool:
        """Return whether a group may be over its limits."""
        return len(self._groups) > 0 or len(self._limited) > 0

    def refusal(self, shown: Shown, *, is_counted: bool) -> EverwordError | None:
        """Return the error of a call to refuse, and count it; None if it may be accepted.

        `is_counted` is whether the call counts towards the rate of its namespace.
        """
        group = self._groups.get(shown)
        if group is not None and self._capacity.refuses_call(group):
            return Overloaded(
                "Too many calls of this caller wait already; repeat this one after a pause."
            )
        usage = self._limited.get(shown) if is_counted else None
        return None if usage is None else usage.refusal_of_request()

    def note(self, shown: Shown, group: Group) -> None:
        """Remember the group of a caller, if it has too many calls."""
        if self._capacity.is_full(group):
            self._groups[shown] = group

    def note_limited(self, shown: Shown, usage: QuotaUsage) -> None:
        """Remember that a caller's namespace is over its rate."""
        self._limited[shown] = usage

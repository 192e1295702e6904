"""What copies may take together, of several things at once, and which of them give way to others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence


class Budget:
    """The copies of namespaces that share limits: of bytes, of files, or of whatever they take.

    What one takes is a sequence with an element for each limit.
    """

    def __init__(self, *limits: int) -> None:
        self.limits = limits
        #: What each takes. The one that was searched last comes last.
        self._taken: OrderedDict[int, Sequence[int]] = OrderedDict()
        #: To add it all up again took 16 ms of 1,000 namespaces.
        self.totals = [0] * len(limits)

    @property
    def mean(self) -> Sequence[int]:
        """What a copy takes on average, rounded down; nothing without any."""
        return [total // max(1, len(self._taken)) for total in self.totals]

    def take(self, namespace_id: int, *taken: int) -> None:
        """Say what a copy takes now."""
        before = self._taken.get(namespace_id, [0] * len(taken))
        self._taken[namespace_id] = taken
        self._add(after - once for after, once in zip(taken, before, strict=True))

    def drop(self, namespace_id: int) -> None:
        """Say that a copy is gone, or was not there."""
        if taken := self._taken.pop(namespace_id, None):
            self._add(-each for each in taken)

    def searched(self, namespace_id: int) -> None:
        """Say that a copy was searched."""
        self._taken.move_to_end(namespace_id)

    def leaving(self, wanted: Sequence[int], may_go: Callable[[int], bool]) -> list[int] | None:
        """Return which copies to let go so that there is room for `wanted`; None where there is none after all.

        Those go first that were not searched for longest, up to the first that may not.
        """
        left = [limit - total for limit, total in zip(self.limits, self.totals, strict=True)]
        leaving = []
        for namespace_id, taken in self._taken.items():
            if _fits(wanted, left) or not may_go(namespace_id):
                break
            left = [room + each for room, each in zip(left, taken, strict=True)]
            leaving.append(namespace_id)
        return leaving if _fits(wanted, left) else None

    def excess(self) -> int | None:
        """Return a copy that has to go since all of them take too much; None where they do not."""
        if _fits(self.totals, self.limits):
            return None
        # What does not fit by itself must not push the others out before it goes.
        too_large = (each for each, taken in self._taken.items() if not _fits(taken, self.limits))
        return next(too_large, next(iter(self._taken)))

    def _add(self, changes: Iterable[int]) -> None:
        self.totals = [total + change for total, change in zip(self.totals, changes, strict=True)]


def _fits(wanted: Sequence[int], room: Sequence[int]) -> bool:
    return all(each <= limit for each, limit in zip(wanted, room, strict=True))

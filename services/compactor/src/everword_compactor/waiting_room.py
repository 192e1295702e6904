"""How many calls may wait for summaries at once: each has a place among those that the server answers at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from everword.domain.errors import Overloaded


class WaitingRoom:
    """The calls of this process that wait."""

    def __init__(self, seats: int, seats_of_namespace: int) -> None:
        self._seats = seats
        self._seats_of_namespace = seats_of_namespace
        self._taken: Counter[int] = Counter()

    @contextmanager
    def seat(self, namespace_id: int) -> Iterator[None]:
        """Have a seat while the block lasts. Raises Overloaded where none is free."""
        if self._taken[namespace_id] >= self._seats_of_namespace:
            raise Overloaded(
                "Too many calls of this namespace wait for summaries. They are being made; repeat this one later.",
                limit=self._seats_of_namespace,
            )
        if self._taken.total() >= self._seats:
            raise Overloaded(
                "Too many calls wait for summaries. They are being made; repeat this one later.",
                limit=self._seats,
            )
        self._taken[namespace_id] += 1
        try:
            yield
        finally:
            self._taken[namespace_id] -= 1
            self._taken += Counter()  # keeps no namespace in which nobody waits


def waiting_room(max_concurrent: int) -> WaitingRoom:
    """Return a room that leaves half of a server's places to calls that do not wait."""
    return WaitingRoom(max(1, max_concurrent // 2), max(1, max_concurrent // 8))

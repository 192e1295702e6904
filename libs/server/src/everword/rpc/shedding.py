"""Whose calls are refused at once, since too many of them wait already."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from cachetools import TTLCache

#: For so long after one of a caller's calls was refused, most others are.
LASTS_S = 1.0
#: How many of a caller's calls are let in at once, where so many have ended.
LET_IN = 8
_CALLERS = 4096


@dataclass
class _Place:
    """The calls that a caller who sends too many may still make."""

    free: int = 0


class Shedding:
    """Counts, for callers who send too many calls, how many may come in: one for each that was answered.

    To refuse a call costs little here, where nothing is known but what it shows. For use within one event loop.
    """

    def __init__(self) -> None:
        self._places: TTLCache[Hashable, _Place] = TTLCache(_CALLERS, LASTS_S)

    @property
    def is_active(self) -> bool:
        """Whether somebody sends too many."""
        return len(self._places) > 0

    def lets_in(self, caller: Hashable) -> bool:
        """Take a caller's place for a call, and tell whether there was one."""
        place = self._places.get(caller)
        if place is None:
            return True
        if not place.free:
            return False
        place.free -= 1
        return True

    def note_refused(self, caller: Hashable) -> None:
        """Note that one of a caller's calls was refused after it had come in."""
        self._places[caller] = self._places.get(caller) or _Place()

    def note_answered(self, caller: Hashable) -> None:
        """Give a caller's place back."""
        place = self._places.get(caller)
        if place:
            place.free = min(place.free + 1, LET_IN)

"""Finds rows of parts in texts with the Aho–Corasick algorithm, in time linear in rows and texts.

A naive search would take quadratic time on a text that repeats the parts of a long row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from everword.text.values.fold_text import Key


def found_rows(wanted: Iterable[Key], texts: Iterable[Sequence[str]]) -> set[Key]:
    """Return those of the `wanted` rows whose parts stand next to each other in one of the `texts`."""
    search = _RowSearch(wanted)
    for parts in texts:
        search.search_text(parts)
    return search.found


class _RowSearch:
    """A tree of the rows, with a link from each of its places to the longest other one that ends alike."""

    def __init__(self, rows: Iterable[Key]) -> None:
        self.found: set[Key] = set()
        self._next: list[dict[str, int]] = [{}]
        self._rows: dict[int, Key] = {}
        for row in rows:
            self._add(row)
        self._shorter = [0] * len(self._next)
        self._link()
        self._is_told = [False] * len(self._next)
        # The root ends every chain.
        self._is_told[0] = True

    def search_text(self, parts: Sequence[str]) -> None:
        """Add the rows in a text to the found ones."""
        place = 0
        for part in parts:
            place = self._step(place, part)
            ending = place
            # Suffixes of a state found earlier were found with it.
            while not self._is_told[ending]:
                self._is_told[ending] = True
                if ending in self._rows:
                    self.found.add(self._rows[ending])
                ending = self._shorter[ending]

    def _add(self, row: Key) -> None:
        place = 0
        for part in row[1:]:
            known = self._next[place]
            place = known.setdefault(str(part), len(self._next))
            if place == len(self._next):
                self._next.append({})
        self._rows[place] = row

    def _link(self) -> None:
        """Link each place to the longest other one that ends alike, the shorter ones first."""
        waiting = deque(self._next[0].values())
        while waiting:
            place = waiting.popleft()
            for part, longer in self._next[place].items():
                self._shorter[longer] = self._step(self._shorter[place], part)
                waiting.append(longer)

    def _step(self, place: int, part: str) -> int:
        """Return where a part leads to from a place."""
        while place and part not in self._next[place]:
            place = self._shorter[place]
        return self._next[place].get(part, 0)

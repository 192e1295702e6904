"""The candidates of a query with what surrounds them, as arrays: messages in the order of their conversations."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword_search.ranking.arrays import Floats, Ints
from everword_search.ranking.store import Candidates

#: A pause of this length ends a session: what comes after it is no answer to what was before.
SESSION_GAP_S = 3 * 3600.0


@dataclass(frozen=True)
class Pool:
    """Memories by row, each with one or more passages.

    Rows are sorted by conversation and sequence, so that a neighbour is a row next to it, or there is none.
    """

    passages: Candidates
    #: The first passage of each memory.
    starts: Ints
    #: Cosine of each passage, as deviations from the model's background; NaN without a vector.
    cosines: Floats
    #: Names of the question that are nobody's here and that the memory's conversation never mentions.
    absent: Floats
    #: Memories of one session, of which no turn between them is missing, have the same number.
    sessions: Ints
    _found: dict[int, tuple[Ints, npt.NDArray[np.bool_]]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.starts)

    def heads(self, column: Array) -> Array:
        """Return what a column says of the first passage of each memory."""
        return column[self.starts]

    @cached_property
    def authors(self) -> list[str]:
        """Who said each memory; empty for what nobody said."""
        authors = self.passages.authors
        return [authors[start] for start in self.starts.tolist()]

    @cached_property
    def alone(self) -> npt.NDArray[np.bool_]:
        """Which memories have nothing next to them."""
        sizes = np.bincount(self.sessions, minlength=1)
        return np.asarray(sizes[self.sessions] == 1)

    def best(self, values: Floats) -> Floats:
        """Return each memory's best passage's value; NaN only where no passage has one."""
        return np.fmax.reduceat(values, self.starts) if len(values) else values

    def neighbour(self, values: Floats, distance: int) -> Floats:
        """Return the value of what was said `distance` turns later in the same session, 0 where nothing was.

        All values are known.
        """
        index, same = self._places(distance)
        return np.asarray(values[index] * same)

    def neighbours(self, values: Floats, distance: int) -> Floats:
        """Return rows of values of what was said `distance` turns later in the same session; see `neighbour`."""
        index, same = self._places(distance)
        return np.asarray(values[index] * same[:, None])

    def _places(self, distance: int) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Return the row so many places further for each row, and whether it is in the same session."""
        if distance not in self._found:
            index = np.arange(self.size) + distance
            inside = (index >= 0) & (index < self.size)
            index = np.clip(index, 0, max(0, self.size - 1))
            # Within a session, nothing is missing between two rows.
            self._found[distance] = index, inside & (self.sessions[index] == self.sessions)
        return self._found[distance]


def build_pool(passages: Candidates, cosines: Floats, absent: Floats) -> Pool:
    """Return the pool of passages. `cosines` and `absent` have an element a passage."""
    starts = np.flatnonzero(_changes(passages.source_ids))
    return Pool(passages, starts, cosines, absent[starts], _sessions(passages, starts))


def _changes(values: Array) -> npt.NDArray[np.bool_]:
    """Return where a value differs from the one before it."""
    changes = np.ones(len(values), bool)
    changes[1:] = values[1:] != values[:-1]
    return changes


def _sessions(passages: Candidates, starts: Ints) -> Ints:
    thread = np.cumsum(_changes(passages.threads))[starts]
    moments = passages.moments[starts]
    sequence = passages.seqs[starts]
    breaks = np.ones(len(starts), bool)
    breaks[1:] = (
        (np.diff(thread) != 0)
        | (np.abs(np.diff(moments)) > SESSION_GAP_S)
        | (np.diff(sequence) != 1)
    )
    return np.cumsum(breaks)

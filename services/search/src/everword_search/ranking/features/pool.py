"""The candidates of a query with what surrounds them, as arrays: messages in the order of their conversations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.candidates import Candidates

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

    @property
    def size(self) -> int:
        return len(self.starts)

    def heads(self, column: Array) -> Array:
        """Return what a column says of the first passage of each memory."""
        return column[self.starts]

    def any(self, passages: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which memories have one of some passages."""
        return np.logical_or.reduceat(passages, self.starts) if len(passages) else passages

    def near(self, memories: npt.NDArray[np.bool_], reach: int) -> npt.NDArray[np.bool_]:
        """Return which memories are some of these, or at most `reach` turns away from one in the same session."""
        near = memories.copy()
        for distance in range(1, reach + 1):
            # Within a session, nothing is missing between two rows.
            same = self.sessions[distance:] == self.sessions[:-distance]
            near[distance:] |= memories[:-distance] & same
            near[:-distance] |= memories[distance:] & same
        return near


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

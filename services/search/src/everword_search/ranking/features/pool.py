"""The candidates of a query with neighbouring turns, as arrays ordered by conversation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.candidates import Candidates

#: Seconds of pause that end a session: a later message is no reply to an earlier one.
SESSION_GAP_S = 3 * 3600.0


@dataclass(frozen=True)
class Pool:
    """Memories by row, each with one or more passages.

    Rows are sorted by conversation and sequence number, so that a neighbouring turn, if present, is the adjacent row.
    """

    passages: Candidates
    #: Index of the first passage of each memory.
    starts: Ints
    #: Cosine of each passage in standard deviations from the model's background; NaN without a vector.
    cosines: Floats
    #: Number of the question's names that belong to no author and never occur in the memory's conversation.
    absent: Floats
    #: Session number of each memory; memories of a session are consecutive turns without gaps.
    sessions: Ints

    @property
    def size(self) -> int:
        return len(self.starts)

    def heads(self, column: Array) -> Array:
        """Return the values of a column for the first passage of each memory."""
        return column[self.starts]

    def any(self, passages: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return a mask of the memories that have one of the passages."""
        return np.logical_or.reduceat(passages, self.starts) if len(passages) else passages

    def near(self, memories: npt.NDArray[np.bool_], reach: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the memories that are at most `reach` turns from one of `memories` in the same session."""
        near = memories.copy()
        for distance in range(1, reach + 1):
            # Rows of a session are consecutive, so distance in rows is distance in turns.
            same = self.sessions[distance:] == self.sessions[:-distance]
            near[distance:] |= memories[:-distance] & same
            near[:-distance] |= memories[distance:] & same
        return near


def build_pool(passages: Candidates, cosines: Floats, absent: Floats) -> Pool:
    """Return the pool of passages; `cosines` and `absent` have an element per passage."""
    starts = np.flatnonzero(_changes(passages.source_ids))
    return Pool(passages, starts, cosines, absent[starts], _sessions(passages, starts))


def _changes(values: Array) -> npt.NDArray[np.bool_]:
    """Return a mask of the elements that differ from their predecessor."""
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

"""The candidates of a query with what surrounds them, as arrays: messages in the order of their conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from uuid import UUID

import numpy as np
import numpy.typing as npt

from everword.text.ranking_record import Records, message_traits, pack_record, unpack_records
from everword_search.ranking.arrays import Floats, Ints
from everword_search.ranking.store import CandidateRow

#: A pause of this length ends a session: what comes after it is no answer to what was before.
SESSION_GAP_S = 3 * 3600.0


@dataclass(frozen=True)
class Pool:
    """Memories by row, each with one or more passages.

    Rows are sorted by conversation and sequence, so that a neighbour is a row next to it, or there is none.
    """

    rows: Sequence[CandidateRow]
    #: The first passage of each memory; `rows` has one element a passage.
    starts: Ints
    records: Records
    #: Cosine of each passage, as deviations from the model's background; NaN without a vector.
    cosines: Floats
    #: Names of the question that are nobody's here and that the memory's conversation never mentions.
    absent: Floats
    #: Memories of one session, of which no turn between them is missing, have the same number.
    sessions: Ints

    @property
    def size(self) -> int:
        return len(self.starts)

    @property
    def heads(self) -> list[CandidateRow]:
        """The first passage of each memory."""
        return [self.rows[start] for start in self.starts]

    @property
    def alone(self) -> npt.NDArray[np.bool_]:
        """Which memories have nothing next to them."""
        sizes = np.bincount(self.sessions, minlength=1)
        return np.asarray(sizes[self.sessions] == 1)

    def best(self, values: Floats) -> Floats:
        """Return each memory's best passage's value; NaN only where no passage has one."""
        return np.fmax.reduceat(values, self.starts) if len(values) else values

    def neighbour(self, values: Floats, distance: int) -> Floats:
        """Return the value of what was said `distance` turns later in the same session, 0 where nothing was."""
        return self.neighbours(values[:, None], distance)[:, 0]

    def neighbours(self, values: Floats, distance: int) -> Floats:
        """Return rows of values of what was said `distance` turns later in the same session, 0 where nothing was."""
        index = np.arange(self.size) + distance
        inside = (index >= 0) & (index < self.size)
        index = np.clip(index, 0, max(0, self.size - 1))
        # Within a session, nothing is missing between two rows.
        same = inside & (self.sessions[index] == self.sessions)
        return np.where(same[:, None], np.nan_to_num(values[index]), 0.0)


def build_pool(
    rows: Sequence[CandidateRow],
    cosines: Mapping[int, float],
    config: str,
    absent: Mapping[UUID | None, int] = MappingProxyType({}),
) -> Pool:
    """Return the pool of passages, which may come in any order.

    `cosines` are by passage id, `absent` by conversation.
    """
    conversations: dict[object, int] = {}
    for row in rows:
        conversations.setdefault(_conversation(row), len(conversations))
    ordered = sorted(
        rows,
        key=lambda row: (conversations[_conversation(row)], row.seq or 0, row.source_id, row.part),
    )
    sources = [row.source_id for row in ordered]
    starts = np.array([i for i, s in enumerate(sources) if i == 0 or sources[i - 1] != s], np.int64)
    heads = [ordered[start] for start in starts]
    return Pool(
        ordered,
        starts,
        unpack_records([row.ranking or _record(row, config) for row in ordered]),
        np.array([cosines.get(row.passage_id, np.nan) for row in ordered], np.float64),
        np.array([absent.get(head.conversation_id, 0) for head in heads], np.float64),
        _sessions(heads, conversations),
    )


def _conversation(row: CandidateRow) -> UUID:
    """Return the conversation that a memory is a turn of; what is no turn stands for itself."""
    return row.conversation_id if row.is_turn and row.conversation_id else row.source_id


def _record(row: CandidateRow, config: str) -> bytes:
    """Return the record of a passage that was stored before there were any; its traits are the passage's own."""
    text = row.content or ""
    return pack_record(text, message_traits(text), config)


def _sessions(heads: Sequence[CandidateRow], conversations: Mapping[object, int]) -> Ints:
    if not heads:
        return np.array([], np.int64)
    conversation = np.array([conversations[_conversation(row)] for row in heads])
    moments = np.array([row.occurred_at.timestamp() for row in heads])
    sequence = np.array([row.seq or 0 for row in heads])
    breaks = np.ones(len(heads), bool)
    breaks[1:] = (
        (np.diff(conversation) != 0)
        | (np.abs(np.diff(moments)) > SESSION_GAP_S)
        | (np.diff(sequence) != 1)
    )
    return np.cumsum(breaks)

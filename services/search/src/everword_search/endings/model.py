"""Value types for outdated facts ("endings")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID


class EndingKind(IntEnum):
    """Why a fact is no longer current. Values equal proto FactEnding."""

    REPLACED = 1
    CLOSED = 2
    CORRECTED = 3
    #: A newer statement probably replaces it; known from its words alone.
    POSSIBLY_REPLACED = 4


@dataclass(frozen=True)
class CurrentFact:
    """The current value that replaces an outdated one, and the memories that state it."""

    #: None if the value is that of a correcting message.
    fact_id: UUID | None
    value: str
    #: The fact as a sentence, or the message.
    text: str
    #: When the value became valid.
    since: datetime
    #: Id of the fact's own memory, or of the message; None if the filter excludes it.
    fact_memory_id: UUID | None
    #: Memories that state the value and pass the filter, at least one: the latest message first, the fact itself last.
    memory_ids: tuple[UUID, ...]
    #: The passage that states the value, for each memory in `memory_ids`.
    passage_ids: tuple[int, ...]


@dataclass(frozen=True)
class Ending:
    """A statement of a memory that is outdated at the requested moment."""

    #: None if the memory is a corrected message, and no fact is known.
    fact_id: UUID | None
    #: Empty if no fact is known.
    attribute: str
    value: str
    kind: EndingKind
    #: When the value ceased to be valid; for a correction or a newer statement, when that was made.
    ended_at: datetime
    #: None if no value replaces it, or if the filter excludes all memories that state the new value.
    current: CurrentFact | None


#: The word before the date of an ending.
_ENDINGS = {
    EndingKind.REPLACED: "until",
    EndingKind.CLOSED: "until",
    EndingKind.CORRECTED: "corrected",
    EndingKind.POSSIBLY_REPLACED: "may be outdated since",
}


_MOST_ENDINGS = 4


@dataclass(frozen=True)
class EndingRemark:
    """The label of one outdated attribute, or of an outdated value in quotation marks."""

    attribute: str
    #: `until`, `corrected` or `may be outdated since`.
    how: str
    ended_at: datetime


def ending_remarks(endings: Sequence[Ending]) -> list[EndingRemark]:
    """Return the labels of the latest `_MOST_ENDINGS` endings."""
    return [
        EndingRemark(_label(each), _ENDINGS[each.kind], each.ended_at)
        for each in endings[:_MOST_ENDINGS]
    ]


def _label(ending: Ending) -> str:
    return ending.attribute or (f'"{ending.value}"' if ending.value else "this")

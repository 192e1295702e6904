"""The registry of the kinds of memory: everything that shared code must know of a kind is declared here, once.

Shared code asks a kind for its traits; code of a feature names its own kind. Statements take kinds and sets of kinds
from here: `db.kind_fragments` fills in `{note_kind}` and `{summarizing_kinds}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, kw_only=True)
class KindTraits:
    """The properties of a kind of memory."""

    #: Table with a row for each memory, under its id. The statement in `integrity/source_statements/` has its name.
    table: str
    #: SQL condition on a row `s` of the table; rows for which it is false are no memories.
    row_condition: str = "true"
    #: Name of a row in reports of missing rows; empty for the label.
    row_label: str = ""
    #: Word for a memory in contexts and prompts.
    label: str
    #: Directory of its addresses within a namespace; empty if it has none of its own. Search lists a directory with the
    #: statement `list_` + its last segment.
    directory: tuple[str, ...] = ()
    #: Abstract of the directory.
    about: str = ""
    #: Proto `ErasureKind` that erases a memory by its id, and the column of the table with the id to erase.
    erasure_kind: int
    erasure_column: str = "id"

    #: The memory summarises others, and takes none of their places among the candidates of an arm.
    summarizes: bool = False
    #: Passages of a superseded memory stay in the index with an end, for searches as of earlier times.
    keeps_history: bool = False
    #: The table has the times at which a memory occurred and became valid.
    has_times: bool = False
    #: An expired memory is never found, regardless of the filter.
    expires: bool = False
    #: Memories of a conversation can be restricted to some conversations (`MemoryFilter.document_conversation_ids`).
    is_attached: bool = False
    #: Triggers bring a memory into a context, into a block of its own; search does not.
    is_triggered: bool = False
    #: Themes are computed from memories of this kind: users' messages and knowledge from them, no summaries.
    has_themes: bool = False


class MemoryKind(IntEnum):
    """A kind of memory. Numbers and names equal proto `MemoryKind`."""

    traits: KindTraits

    def __new__(cls, number: int, traits: KindTraits) -> MemoryKind:
        kind = int.__new__(cls, number)
        kind._value_ = number
        kind.traits = traits
        return kind

    MESSAGE = (
        1,
        KindTraits(
            table="messages",
            label="message",
            erasure_kind=1,
            has_times=True,
            has_themes=True,
        ),
    )
    SUMMARY = (
        2,
        KindTraits(
            table="summaries",
            label="summary",
            directory=("summaries",),
            about="Summaries of days, weeks, months and years, and what was significant.",
            erasure_kind=11,
            summarizes=True,
            keeps_history=True,
            has_times=True,
        ),
    )
    NOTE = (
        3,
        KindTraits(
            table="notes",
            row_condition="s.deleted_at IS NULL",
            label="note",
            directory=("notes",),
            about="What was written down on purpose.",
            erasure_kind=5,
            expires=True,
            has_themes=True,
        ),
    )
    FACT = (
        4,
        KindTraits(
            table="fact_intervals",
            row_label="fact's interval",
            label="fact",
            directory=("facts",),
            about="Facts that hold.",
            erasure_kind=6,
            erasure_column="fact_id",
            keeps_history=True,
            has_times=True,
            has_themes=True,
        ),
    )
    CHUNK = (
        5,
        KindTraits(
            table="document_chunks",
            row_label="chunk",
            label="document",
            directory=("chunks",),
            about="What documents say, in parts.",
            erasure_kind=10,
            erasure_column="document_id",
            is_attached=True,
        ),
    )
    NODE = (
        6,
        KindTraits(
            table="graph_node_versions",
            row_label="version of a node",
            label="node",
            directory=("graph", "nodes"),
            about="Persons, places and things.",
            erasure_kind=8,
            erasure_column="node_id",
            keeps_history=True,
        ),
    )
    LORE = (
        7,
        KindTraits(
            table="lore_entries",
            row_label="entry",
            label="lore",
            directory=("lore",),
            about="Entries of lorebooks.",
            erasure_kind=14,
            is_triggered=True,
        ),
    )
    TOPIC = (
        8,
        KindTraits(
            table="topic_pages",
            row_label="page",
            label="topic",
            directory=("topics",),
            about="Pages about persons, places and things.",
            erasure_kind=16,
            summarizes=True,
        ),
    )


_BY_NUMBER = {int(kind): kind for kind in MemoryKind}
_UNKNOWN_LABEL = "memory"


def find_kind(number: int) -> MemoryKind | None:
    """Return the kind with a number; None for one that a later release added."""
    return _BY_NUMBER.get(number)


def kind_label(number: int) -> str:
    """Return the word for memories of a kind in contexts and prompts."""
    kind = find_kind(number)
    return kind.traits.label if kind else _UNKNOWN_LABEL


SUMMARIZING_KINDS = tuple(kind for kind in MemoryKind if kind.traits.summarizes)
TRIGGERED_KINDS = tuple(kind for kind in MemoryKind if kind.traits.is_triggered)
EXPIRING_KINDS = tuple(kind for kind in MemoryKind if kind.traits.expires)
ATTACHED_KINDS = tuple(kind for kind in MemoryKind if kind.traits.is_attached)

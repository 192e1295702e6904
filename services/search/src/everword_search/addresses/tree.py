"""The directory tree of a namespace.

The registry `everword.domain.memory_kinds` declares the directory of each kind; the statement named there lists its
memories.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from everword.domain.addresses import Segments, as_id
from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import MemoryRecord


@dataclass(frozen=True)
class Directory:
    """A directory, with its abstract and its contents."""

    #: The abstract.
    about: str
    #: Names of the subdirectories, sorted.
    directories: tuple[str, ...] = ()
    #: Name of the statement that lists its memories; empty if it has none.
    memories: str = ""
    #: True if the entries are conversations, which are directories themselves.
    conversations: bool = False


#: Placeholder for any id in a path.
ANY = "*"
CONVERSATION = ("conversations", ANY)
OF_KINDS: dict[Segments, Directory] = {
    directory: Directory(kind.traits.about, memories=f"list_{directory[-1]}")
    for kind in MemoryKind
    if (directory := kind.traits.directory)
}
DIRECTORIES: dict[Segments, Directory] = {
    (): Directory(
        "Everything that is remembered in this namespace.",
        tuple(sorted({"conversations"} | {directory[0] for directory in OF_KINDS})),
    ),
    ("conversations",): Directory(
        "Conversations, with their messages and summaries.", conversations=True
    ),
    CONVERSATION: Directory("", ("messages", "summaries")),
    (*CONVERSATION, "messages"): Directory(
        "What was said, in its order.", memories="list_messages"
    ),
    (*CONVERSATION, "summaries"): Directory(
        "Summaries along the conversation.", memories="list_conversation_summaries"
    ),
    ("graph",): Directory("Who and what there is.", ("nodes",)),
    **OF_KINDS,
}


def find_directory(segments: Segments) -> Directory | None:
    """Return the directory at a path within a namespace; None if the path is no directory."""
    form = segments
    if len(segments) > 1 and segments[0] == CONVERSATION[0]:
        if as_id(segments[1]) is None:
            return None
        form = (segments[0], ANY, *segments[2:])
    return DIRECTORIES.get(form)


@dataclass(frozen=True)
class AddressEntry:
    """A directory, or a memory listed in one."""

    #: Path within the namespace; empty for the namespace itself.
    segments: Segments
    abstract: str
    #: The memory; None if the entry is a directory.
    memory: MemoryRecord | None = None
    occurred_at: datetime | None = None

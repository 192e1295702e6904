"""The directories of a namespace: what each is about, and what is in it.

The registry `everword.domain.memory_kinds` declares the directory of each kind; a statement here lists it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from everword.domain.addresses import Segments, as_id
from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import MemoryRecord


@dataclass(frozen=True)
class Directory:
    """A directory."""

    #: Its abstract.
    about: str
    #: Names of the directories in it, sorted.
    directories: tuple[str, ...] = ()
    #: The statement that lists the memories in it.
    memories: str = ""
    #: Whether conversations are in it, which are directories.
    conversations: bool = False


#: Stands for any id.
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
    """Return the directory at a place within a namespace; None where that is none."""
    form = segments
    if len(segments) > 1 and segments[0] == CONVERSATION[0]:
        if as_id(segments[1]) is None:
            return None
        form = (segments[0], ANY, *segments[2:])
    return DIRECTORIES.get(form)


@dataclass(frozen=True)
class AddressEntry:
    """A directory, or a memory that is listed in one."""

    #: Where it is within its namespace; empty for the namespace.
    segments: Segments
    abstract: str
    #: None for a directory.
    memory: MemoryRecord | None = None
    occurred_at: datetime | None = None

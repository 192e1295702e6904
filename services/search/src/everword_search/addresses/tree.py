"""The directories of a namespace: what each is about, and what is in it.

A new kind of memory is a line of DIRECTORIES, with a statement that lists it, and one of `everword.domain.addresses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from everword.domain.addresses import Segments, as_id
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
DIRECTORIES: dict[Segments, Directory] = {
    (): Directory(
        "Everything that is remembered in this namespace.",
        ("chunks", "conversations", "facts", "graph", "lore", "notes", "summaries", "topics"),
    ),
    ("chunks",): Directory("What documents say, in parts.", memories="list_chunks"),
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
    ("facts",): Directory("Facts that hold.", memories="list_facts"),
    ("graph",): Directory("Who and what there is.", ("nodes",)),
    ("graph", "nodes"): Directory("Persons, places and things.", memories="list_nodes"),
    ("lore",): Directory("Entries of lorebooks.", memories="list_lore"),
    ("notes",): Directory("What was written down on purpose.", memories="list_notes"),
    ("summaries",): Directory(
        "Summaries of days, weeks, months and years, and what was significant.",
        memories="list_summaries",
    ),
    ("topics",): Directory("Pages about persons, places and things.", memories="list_topics"),
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

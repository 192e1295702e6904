"""Lorebooks as they are stored and asked for, free of protobuf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NewType
from uuid import UUID

DEFAULT_SCAN_DEPTH = 5
#: How often entries set off others, one after the other.
MAX_RECURSION = 3
#: Maximum number of omissions in a response.
MAX_OMISSIONS = 20
#: Limits of a book.
MAX_ENTRIES, MAX_PATTERNS = 1000, 200

EntryId = NewType("EntryId", UUID)


class TriggerMode(IntEnum):
    """How a trigger is looked for. Values equal proto `LoreTriggerMode`."""

    SUBSTRING = 1
    WORD = 2
    EXACT = 3
    REGEX = 4


class Cause(IntEnum):
    """Why an entry is in a context. Values equal proto `LoreCause`."""

    TRIGGER = 1
    STICKY = 2
    CONSTANT = 3
    RECURSION = 4


@dataclass(frozen=True)
class Trigger:
    """A pattern in a message that brings the entry into the context."""

    text: str
    mode: TriggerMode = TriggerMode.SUBSTRING
    case_sensitive: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {"text": self.text, "mode": int(self.mode), "case_sensitive": self.case_sensitive}

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> Trigger:
        return cls(stored["text"], TriggerMode(stored["mode"]), stored["case_sensitive"])


@dataclass(frozen=True)
class Rule:
    """When an entry is in a context: all of it but its content."""

    id: EntryId
    book_id: UUID
    title: str
    triggers: Sequence[Trigger] = ()
    scan_depth: int = DEFAULT_SCAN_DEPTH
    priority: int = 0
    sticky_turns: int = 0
    constant: bool = False
    prevent_recursion: bool = False
    exclude_recursion: bool = False
    version: int = 1


#: By the entries whose triggers a text holds, the place of the first such trigger among the entry's.
Hits = Mapping[EntryId, int]


@dataclass(frozen=True)
class LoreLine:
    """A message as lore sees it: neither of a tool nor empty."""

    text: str
    #: True for a turn of a user.
    is_user: bool = False
    automated: bool = False

    @property
    def is_turn(self) -> bool:
        """Return whether it begins a turn of a user."""
        return self.is_user and not self.automated


@dataclass(frozen=True)
class Reason:
    """Why an entry is in a context."""

    cause: Cause
    #: How many entries set off one another before it.
    depth: int = 0
    #: Position of the trigger that matched; None for a constant entry.
    trigger: int | None = None
    #: The entry whose content holds that trigger.
    by: EntryId | None = None
    #: For how many more turns of a user it stays.
    turns_left: int = 0


@dataclass(frozen=True)
class Omission:
    """An entry that does not fit into a context; or an entry or a lorebook whose search costs too much."""

    book_id: UUID
    book: str
    #: A sentence: why it was skipped, and what to change.
    reason: str
    #: None if the whole book was skipped, in all or in some messages.
    entry: Rule | None = None
    #: The pattern of the entry that costs too much.
    pattern: str = ""

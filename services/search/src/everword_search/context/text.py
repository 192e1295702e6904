"""The form of memories and turns in a context, and their cost in tokens.

    2026-04-18
    [1] Marta: The cutover is on Thursday.
    [2] summary: They agreed on the plan.
      Its second line.

A line of the format begins with a date, a number or a heading. What was stored opens none: its further lines are
indented.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from uuid import UUID

from everword.domain.records import MemoryRecord, MessageRecord, message_text
from everword.text.credentials import mask_credentials, mask_passage

#: Without the caller's own count, a token is counted for this many bytes of UTF-8.
BYTES_PER_TOKEN = 4
_ROLES = {1: "system", 2: "user", 3: "assistant", 4: "tool"}
#: By `MemoryKind`, where nobody spoke.
_KINDS = {2: "summary", 3: "note", 4: "fact", 5: "document"}
#: Before each further line of what was stored.
_INDENT = "  "
#: As wide as the number of any item.
_WIDEST = "[999] "


@dataclass(frozen=True)
class Item:
    """One memory or turn as it stands in a context."""

    memory_id: UUID
    #: In the namespace's time zone.
    occurred_at: datetime
    #: In its conversation; 0 outside of any.
    seq: int
    speaker: str
    #: Lines after the first are indented.
    words: str
    #: Of the whole line, with the widest number and its end.
    tokens: int
    score: float = 0.0
    #: None where it cannot be told.
    relevance: float | None = None

    @property
    def day(self) -> str:
        return self.occurred_at.date().isoformat()

    def line(self, number: int) -> str:
        return f"[{number}] {self.speaker}: {self.words}"


def count_tokens(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def turn_item(message: MessageRecord, zone: tzinfo, *, masks: bool = True) -> Item:
    """Return a turn, word for word but for its credentials where these are masked."""
    call = (message.tool_name, message.tool_args)
    words = message_text(message.content, message.content_blocks, *call, tool_result="")
    # Whole, where the index has only the beginning of a long result.
    words = "\n".join(part for part in (words, message.tool_result) if part)
    shown = mask_credentials(words) if masks else words
    # What the caller counted is what was sent.
    given = message.token_count if shown == words else 0
    speaker = message.author or _ROLES.get(message.role, "")
    occurred_at = _local(message.occurred_at, zone)
    return _item(message.id, occurred_at, message.seq, speaker, shown, given)


def memory_item(
    memory: MemoryRecord,
    passage: str,
    token_count: int,
    zone: tzinfo,
    *,
    score: float = 0.0,
    relevance: float | None = None,
    masks: bool = True,
) -> Item:
    """Return a memory whole, or its best passage between ellipses where it has several; of a tool call, its sentence.

    `token_count` is what the caller said the whole costs; 0 where nothing was said.
    """
    shown = mask_passage(passage, memory.content) if masks else passage
    given = 0
    if passage == memory.content:
        given = token_count if shown == passage else 0
    elif passage != memory.synthesized_content:
        shown = f"… {shown.strip()} …"
    speaker = memory.author or _ROLES.get(memory.role) or _KINDS.get(memory.kind, "")
    occurred_at = _local(memory.occurred_at, zone)
    return _item(memory.id, occurred_at, memory.seq or 0, speaker, shown, given, score, relevance)


def _local(moment: datetime, zone: tzinfo) -> datetime:
    try:
        return moment.astimezone(zone)
    except OverflowError:
        # On the last day of the calendar it is tomorrow elsewhere.
        return moment


def _item(
    id_: UUID,
    occurred_at: datetime,
    seq: int,
    speaker: str,
    words: str,
    given_tokens: int,
    score: float = 0.0,
    relevance: float | None = None,
) -> Item:
    speaker = " ".join(speaker.split())
    # All that any reader may take for the end of a line.
    lines = words.splitlines() or [""]
    indented = f"\n{_INDENT}".join(lines)
    own = f"{_WIDEST}{speaker}: {_INDENT * (len(lines) - 1)}" if given_tokens else ""
    tokens = given_tokens + count_tokens(f"{own or f'{_WIDEST}{speaker}: {indented}'}\n")
    return Item(id_, occurred_at, seq, speaker, indented, tokens, score, relevance)

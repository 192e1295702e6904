"""The form of memories and turns in a context, and their cost in tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from everword.domain.records import MemoryRecord, MessageRecord, message_text
from everword.text.credentials import mask_credentials, mask_passage

#: Without the caller's own count, a token is counted for this many bytes of UTF-8.
BYTES_PER_TOKEN = 4
_ROLES = {1: "system", 2: "user", 3: "assistant", 4: "tool"}
#: By `MemoryKind`, where nobody spoke.
_KINDS = {2: "summary", 3: "note", 4: "fact", 5: "document"}


@dataclass(frozen=True)
class Item:
    """One memory or turn as it stands in a context."""

    memory_id: UUID
    text: str
    #: With the end of its line.
    tokens: int
    score: float = 0.0


def count_tokens(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def turn_item(message: MessageRecord, agent: str, *, masks: bool = True) -> Item:
    """Return a turn, word for word but for its credentials where these are masked."""
    call = (message.tool_name, message.tool_args)
    words = message_text(message.content, message.content_blocks, *call, tool_result="")
    # Whole, where the index has only the beginning of a long result.
    words = "\n".join(part for part in (words, message.tool_result) if part)
    shown = mask_credentials(words) if masks else words
    role = _ROLES.get(message.role, "")
    prefix = _attribution(message.occurred_at, agent, role, message.author)
    # What the caller counted is what was sent.
    return _item(message.id, prefix, shown, message.token_count if shown == words else 0)


def memory_item(
    memory: MemoryRecord, passage: str, token_count: int, score: float, *, masks: bool = True
) -> Item:
    """Return a memory whole, or its best passage between ellipses where it has several; of a tool call, its sentence.

    `token_count` is what the caller said the whole costs; 0 where nothing was said.
    """
    role = _ROLES.get(memory.role) or _KINDS.get(memory.kind, "")
    prefix = _attribution(memory.occurred_at, memory.agent, role, memory.author)
    shown = mask_passage(passage, memory.content) if masks else passage
    if passage == memory.content:
        return _item(memory.id, prefix, shown, token_count if shown == passage else 0, score)
    if passage == memory.synthesized_content:
        return _item(memory.id, prefix, shown, 0, score)
    return _item(memory.id, prefix, f"… {shown.strip()} …", 0, score)


def _attribution(occurred_at: datetime, agent: str, role: str, author: str) -> str:
    """Return such as `[2026-04-18T12:00Z opus/user Marta] `."""
    minute = occurred_at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="minutes")
    side = "/".join(part for part in (agent, role) if part)
    speaker = " ".join(part for part in (side, author) if part)
    return f"[{minute}Z {speaker}] "


def _item(id_: UUID, prefix: str, words: str, given_tokens: int, score: float = 0.0) -> Item:
    counted = prefix if given_tokens else prefix + words
    return Item(id_, prefix + words, given_tokens + count_tokens(f"{counted}\n"), score)

"""Match memories against filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword_search.records.model import MemoryFilter


@dataclass(frozen=True)
class FilterableMemory:
    """The attributes of a memory that filters compare."""

    id: UUID
    kind: int
    conversation_id: UUID | None
    agent: str
    subject: str
    channel: str
    instance: str
    author: str
    role: int
    tags: Sequence[str]
    automated: bool
    occurred_at: datetime


def ensure_watchable(memory_filter: MemoryFilter) -> None:
    """Raise InvalidArgument for a filter as of a past moment, because events happen now."""
    for name, value in (
        ("valid_at_time", memory_filter.valid_at),
        ("known_at_time", memory_filter.known_at),
        ("as_of_message_id", memory_filter.as_of_message_id),
    ):
        if value is not None:
            raise InvalidArgument(violations=((f"filter.{name}", "cannot be watched"),))


def passes(memory_filter: MemoryFilter, memory: FilterableMemory) -> bool:
    pairs: tuple[tuple[Any, Any], ...] = (
        (memory_filter.kinds, memory.kind),
        (memory_filter.conversation_ids, memory.conversation_id),
        (memory_filter.included_memory_ids, memory.id),
        (memory_filter.agents, memory.agent),
        (memory_filter.subjects, memory.subject),
        (memory_filter.channels, memory.channel),
        (memory_filter.instances, memory.instance),
        (memory_filter.authors, memory.author),
        (memory_filter.roles, memory.role),
    )
    left_out: tuple[tuple[Any, Any], ...] = (
        (memory_filter.excluded_memory_ids, memory.id),
        (memory_filter.excluded_conversation_ids, memory.conversation_id),
        (memory_filter.excluded_authors, memory.author),
        (memory_filter.excluded_kinds, memory.kind),
    )
    return (
        all(allowed is None or value in allowed for allowed, value in pairs)
        and not any(refused and value in refused for refused, value in left_out)
        and memory_filter.in_conversation in (None, memory.conversation_id is not None)
        and (memory_filter.tags is None or not set(memory_filter.tags).isdisjoint(memory.tags))
        and (memory_filter.since is None or memory.occurred_at >= memory_filter.since)
        and (memory_filter.before is None or memory.occurred_at < memory_filter.before)
        and (memory_filter.include_automated or not memory.automated)
    )

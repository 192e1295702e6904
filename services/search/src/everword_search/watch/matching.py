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
class Filtered:
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


def ensure_watchable(wanted: MemoryFilter) -> None:
    """Raise InvalidArgument for a filter as of a past moment, because events happen now."""
    for name, value in (
        ("valid_at_time", wanted.valid_at),
        ("known_at_time", wanted.known_at),
        ("as_of_message_id", wanted.as_of_message_id),
    ):
        if value is not None:
            raise InvalidArgument(violations=((f"filter.{name}", "cannot be watched"),))


def passes(wanted: MemoryFilter, memory: Filtered) -> bool:
    pairs: tuple[tuple[Any, Any], ...] = (
        (wanted.kinds, memory.kind),
        (wanted.conversation_ids, memory.conversation_id),
        (wanted.agents, memory.agent),
        (wanted.subjects, memory.subject),
        (wanted.channels, memory.channel),
        (wanted.instances, memory.instance),
        (wanted.authors, memory.author),
        (wanted.roles, memory.role),
    )
    left_out: tuple[tuple[Any, Any], ...] = (
        (wanted.excluded_memory_ids, memory.id),
        (wanted.excluded_conversation_ids, memory.conversation_id),
        (wanted.excluded_authors, memory.author),
        (wanted.excluded_kinds, memory.kind),
    )
    return (
        all(allowed is None or value in allowed for allowed, value in pairs)
        and not any(refused and value in refused for refused, value in left_out)
        and (wanted.tags is None or not set(wanted.tags).isdisjoint(memory.tags))
        and (wanted.since is None or memory.occurred_at >= wanted.since)
        and (wanted.before is None or memory.occurred_at < wanted.before)
        and (wanted.include_automated or not memory.automated)
    )

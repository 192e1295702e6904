"""What is at addresses, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from everword.domain.addresses import Segments
from everword.domain.records import MemoryRecord


@dataclass(frozen=True)
class Entry:
    """A directory, or a memory that is listed in one."""

    #: Where it is within its namespace; empty for the namespace.
    segments: Segments
    abstract: str
    #: None for a directory.
    memory: MemoryRecord | None = None
    occurred_at: datetime | None = None

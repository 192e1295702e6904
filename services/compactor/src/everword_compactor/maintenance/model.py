"""The reports of MaintenanceService, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from everword_compactor.tool_sentences.model import ParkedCall


@dataclass(frozen=True)
class TaskStatus:
    """The state of a task's jobs."""

    task: str
    pending: int
    running: int
    failed: int
    #: Time since the oldest pending job became due; None if none is due.
    oldest_pending: timedelta | None
    #: The latest error of a parked job; empty without one.
    sample_error: str


@dataclass(frozen=True)
class FailedJob:
    """A job that was given up."""

    task: str
    subject: str
    attempts: int
    error: str
    failed_at: datetime


@dataclass(frozen=True)
class ParkedPassage:
    """A passage that gets no vector."""

    memory_id: UUID
    part: int
    error: str


@dataclass(frozen=True)
class QueueStatus:
    """The state of a namespace's background work."""

    tasks: list[TaskStatus]
    failed: list[FailedJob]
    parked: list[ParkedPassage]
    parked_calls: list[ParkedCall]

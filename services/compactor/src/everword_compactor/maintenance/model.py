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
    #: Jobs that are due.
    pending: int
    #: Jobs whose time has not come.
    scheduled: int
    running: int
    failed: int
    #: Time since the oldest pending job became due; None if none is due.
    oldest_pending: timedelta | None
    next_start_at: datetime | None
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
class ModelStep:
    """Calls of the language model for one purpose."""

    #: Such as `sleep-classify`.
    step: str
    calls: int
    timeouts: int
    #: Of output.
    tokens_per_second: float
    last_called_at: datetime


@dataclass(frozen=True)
class ModelCheck:
    """The outcome of a short question to the language model."""

    #: Empty if it answered.
    error: str
    #: `json_schema`, `json_object` or `text`; empty if it did not answer.
    answer_form: str = ""
    context_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class QueueStatus:
    """The state of a namespace's background work."""

    tasks: list[TaskStatus]
    failed: list[FailedJob]
    parked: list[ParkedPassage]
    parked_calls: list[ParkedCall]
    model_steps: list[ModelStep]
    #: Seconds that the model needs for the waiting jobs of Sleep; None if unknown, or if none waits.
    sleep_seconds_left: float | None

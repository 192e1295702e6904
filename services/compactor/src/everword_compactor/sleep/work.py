"""Work passed from stage to stage: results so far, and the pending writes that are stored at once in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from everword.db import blocking
from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.facts.model import Key
from everword_compactor.jobs.questions import Questioner
from everword_compactor.sleep.model import (
    KnownFact,
    Observation,
    SessionRow,
    SleepInputs,
    SleepSession,
)


@dataclass(frozen=True)
class SleepTransaction:
    """The single transaction in which the results of all stages are stored."""

    conn: Connection
    namespace_id: int
    settings: NamespaceSettings
    #: One moment for all of it.
    now: datetime


@dataclass(frozen=True)
class PendingWrite:
    """A pending write. It runs in the transaction that stores all results, which asks no model.

    It must be idempotent: its rows have keys of their own, or follow from stored rows.
    """

    #: Names the step in logs and tests, such as `state-fact`.
    name: str
    run: Callable[[SleepTransaction], Awaitable[object]]
    #: Facts' keys that it holds. All keys of a transaction are held at its beginning, in one order.
    keys: Sequence[Key] = ()


@dataclass(frozen=True)
class SessionWork:
    """A session with the results of the stages so far."""

    session: SleepSession
    loaded: SleepInputs
    observations: Sequence[Observation] = ()
    #: At most three.
    topics: Sequence[str] = ()
    #: In the order in which they are to be stored.
    writes: Sequence[PendingWrite] = ()
    #: How many of what, for the report: `facts_new`, `facts_supported`, …
    counts: Mapping[str, int] = field(default_factory=dict)
    #: Steps that failed, each with its error, for operators.
    failures: Sequence[str] = ()

    def adding(self, *writes: PendingWrite, **counts: int) -> SessionWork:
        """Return the work with further writes and counts."""
        return replace(self, writes=[*self.writes, *writes], counts=_added(self.counts, counts))

    def failing(self, failure: str) -> SessionWork:
        """Return the work with a further failed step."""
        return replace(self, failures=[*self.failures, failure])


@dataclass(frozen=True)
class ClosingWork:
    """The closing work for a subject, with the results of the stages so far."""

    #: Whom it is about.
    subject: str
    #: Sessions stored since the last closing, the earliest first; empty at night without new ones.
    sessions: Sequence[SessionRow]
    #: Observations of these sessions, those about third parties included.
    observations: Sequence[Observation]
    loaded: SleepInputs
    #: Facts that these sessions brought, supported or doubted.
    touched_ids: Sequence[UUID] = ()
    #: Facts that expire with this closing: each is to be asked about.
    expired: Sequence[KnownFact] = ()
    #: Settled disputes of this closing, in words.
    settled: Sequence[str] = ()
    writes: Sequence[PendingWrite] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    #: Steps that failed, each with its error, for operators.
    failures: Sequence[str] = ()

    def adding(self, *writes: PendingWrite, **counts: int) -> ClosingWork:
        """Return the work with further writes and counts."""
        return replace(self, writes=[*self.writes, *writes], counts=_added(self.counts, counts))

    def failing(self, failure: str) -> ClosingWork:
        """Return the work with a further failed step."""
        return replace(self, failures=[*self.failures, failure])


@dataclass(frozen=True)
class StageTools:
    """The tools of a stage."""

    namespace_id: int
    #: None if no language model is configured.
    asking: Questioner | None
    #: Opens a short transaction of the namespace to read in. Nothing is written, and no model asked, in one.
    reading: Callable[[], AbstractContextManager[blocking.Connection]]
    now: datetime
    #: Raises LeaseLost if another worker owns the job.
    heartbeat: Callable[[], None]
    #: Returns whether an error concerns one step or session; an unavailable model concerns all of them.
    is_local: Callable[[Exception], bool] = lambda _: False


@dataclass(frozen=True)
class SessionStage:
    """A step that every session goes through."""

    #: Its name in progress, logs and tests.
    name: str
    run: Callable[[StageTools, SessionWork], SessionWork]
    #: True to skip the stage if no language model is configured.
    needs_model: bool = False
    #: True if a session without its results is parked. A failure of any other step costs that step's results alone.
    is_essential: bool = False


@dataclass(frozen=True)
class ClosingStage:
    """A step that a subject goes through once its sessions are stored, and every night."""

    name: str
    run: Callable[[StageTools, ClosingWork], ClosingWork]
    needs_model: bool = False


def _added(counts: Mapping[str, int], more: Mapping[str, int]) -> Mapping[str, int]:
    return dict(Counter(counts) + Counter(more))

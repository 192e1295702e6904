"""The objects that the tasks of the compactor work with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from everword.chat.blocking import BlockingChat
from everword.chat.errors import ChatBudgetSpent
from everword.chat.model import UsageRecord
from everword.costs.model import own_call
from everword.costs.store import (
    find_spent_budget_blocking,
    insert_usage_blocking,
    lock_budget_changes,
)
from everword.db.blocking import BlockingDatabase
from everword.domain.compaction import CompactionSettings
from everword.domain.times import utc_now
from everword_compactor.compose.model import Composer
from everword_compactor.jobs.model_outage import MAX_WAIT_SECONDS


class Ledger:
    """Records calls of language models for the namespace of the current job; a task has one at a time.

    It also checks their budgets.
    """

    def __init__(
        self, database: BlockingDatabase, now: Callable[[], datetime] | None = None
    ) -> None:
        """`now` is the clock that says which month it is; by default the database's."""
        self._database = database
        self._now = now
        self._namespace_id: int | None = None
        self._conversation_id: UUID | None = None

    @contextmanager
    def of_namespace(
        self, namespace_id: int, conversation_id: UUID | None = None
    ) -> Iterator[None]:
        self._namespace_id, self._conversation_id = namespace_id, conversation_id
        try:
            yield
        finally:
            self._namespace_id = self._conversation_id = None

    def admit(self, model: str) -> None:
        """Admit a call. Raises ChatBudgetSpent if a budget of the namespace is spent.

        Concurrent calls are not counted yet: each worker may exceed a limit by its current call.
        """
        if self._namespace_id is None:
            return
        now = self._now() if self._now else None
        with self._database.transaction(self._namespace_id) as conn:
            # Lock the budgets: a change of a limit wakes refused jobs, and must not miss this one.
            lock_budget_changes(conn, self._namespace_id)
            spent = find_spent_budget_blocking(
                conn, self._namespace_id, model, self._conversation_id, now
            )
        if spent:
            raise ChatBudgetSpent(retry_after_s=spent.seconds)

    def record(self, usage: UsageRecord) -> None:
        """Store a record in a transaction of its own, so that the cost of a call is kept whatever becomes of its
        answer.
        """
        if self._namespace_id is None:
            return
        with self._database.transaction(self._namespace_id) as conn:
            insert_usage_blocking(conn, [own_call(usage, self._conversation_id)])


@dataclass(frozen=True)
class ToolSettings:
    """Patience of the worker that puts tool calls into words."""

    #: How long a claim holds without being kept up. The work of a dead worker waits so long.
    lease_s: float = 120.0
    #: Pauses after a sentence that cannot be used, by attempt; the last repeats.
    pauses_s: tuple[float, ...] = (5.0, 30.0)
    #: Pause before a failing model is asked whether it answers at all.
    max_wait_s: float = MAX_WAIT_SECONDS


@dataclass(frozen=True)
class WorkerContext:
    """The objects that a task's function is made with."""

    database: BlockingDatabase
    composer: Composer
    #: None if no language model is configured.
    chat: BlockingChat | None
    ledger: Ledger
    #: Writes the digests of channels; None for what writes everything else.
    digests: Composer | None = None
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    tools: ToolSettings = field(default_factory=ToolSettings)
    now: Callable[[], datetime] = utc_now

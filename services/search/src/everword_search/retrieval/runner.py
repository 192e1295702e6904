"""Run arms, each with a time limit and a span, so that a failing arm does not fail the search.

A failed arm aborts its transaction. A savepoint per arm would cost every search more than a restart without the arm
costs the few searches with a failure.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

import numpy as np
import numpy.typing as npt
import psycopg

from everword.db.pool import STATEMENT_CAP_S, Connection
from everword.domain.deadline import remaining
from everword.telemetry import names
from everword.telemetry.tracing import duration_histogram, inner_span
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.ranked_memories import Candidate, RankedMemories, Window
from everword_search.records.store import use_custom_plans, use_generic_plans
from everword_search.retrieval.arms.base import Arm, ArmReport, ArmState, RankingArm, SearchArm
from everword_search.retrieval.arms.semantic import SemanticArm

log = logging.getLogger(__name__)
#: Maximum share of the remaining time for one statement of an arm while other arms have yet to run.
TIME_SHARE = 0.4
#: Tolerated ratios of the current statement timeout to the wanted one; setting it again costs as much as a small
#: statement.
_TOO_LONG, _TOO_SHORT = 1.1, 2.0


#: Errors with which a server ends a connection; they arrive before the connection counts as broken.
_ENDS = (psycopg.errors.AdminShutdown, psycopg.errors.CrashShutdown)


class ArmFailed(Exception):
    """An arm failed; the cause is the driver's error, and the transaction is aborted."""

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm.name.name)
        self.arm = arm


class Runner:
    """Runs the arms of one search, in a series of transactions until none fails, and records each arm's outcome."""

    conn: Connection

    def __init__(self, arms: Sequence[Arm]) -> None:
        self._arms = arms
        self._seconds = {arm.name: 0.0 for arm in arms}
        self._failed: dict[SearchArm, str] = {}
        self._generic_plans: bool | None = None
        self._limit_s = 0.0

    def begin(self, conn: Connection, generic_plans_s: float | None) -> None:
        """Continue in a new transaction.

        `generic_plans_s` is the statement timeout in seconds if the transaction uses generic plans, else None.
        """
        self.conn = conn
        self._generic_plans = None if generic_plans_s is None else True
        self._limit_s = generic_plans_s or 0.0

    def left(self) -> list[Arm]:
        """Return the arms that have work to do and did not fail."""
        return [arm for arm in self._arms if self.may_run(arm)]

    def may_run(self, arm: Arm) -> bool:
        """Return whether an arm has work to do, and no arm with its name failed."""
        return not arm.idle_reason and arm.name not in self._failed

    async def find(self, arm: Arm, window: Window, share: float = 1.0) -> list[Candidate]:
        """Return an arm's candidates within `share` of the remaining time. Raises ArmFailed."""
        async with self._running(arm, share):
            return await arm.find(self.conn, window)

    async def rank(self, arm: RankingArm, window: Window, share: float) -> RankedMemories:
        """Return an arm's candidates as columns, within `share` of the remaining time. Raises ArmFailed."""
        async with self._running(arm, share):
            return await arm.rank(self.conn, window)

    async def score(
        self, arm: RankingArm, source_ids: Sequence[UUID], share: float
    ) -> list[Candidate]:
        """Return an arm's scores of memories, within `share` of the remaining time. Raises ArmFailed."""
        async with self._running(arm, share, needs_no_statement=False):
            return await arm.score(self.conn, source_ids)

    async def deviations(
        self,
        arm: SemanticArm,
        passage_ids: Ints,
        is_other: npt.NDArray[np.bool_],
        share: float,
    ) -> Floats:
        """Return the similarity of passages to the query; see SemanticArm.deviations. Raises ArmFailed."""
        async with self._running(arm, share, generic_plans=True):
            return await arm.deviations(self.conn, passage_ids, is_other)

    async def prepare(self, *, generic_plans: bool, limit_s: float) -> None:
        """Set the plan mode and the timeout in seconds for the following statements."""
        within = limit_s / _TOO_SHORT <= self._limit_s <= limit_s * _TOO_LONG
        if generic_plans is self._generic_plans and within:
            return
        self._generic_plans, self._limit_s = generic_plans, limit_s
        plan = use_generic_plans if generic_plans else use_custom_plans
        await plan(self.conn, limit_s)

    def reports(self) -> list[ArmReport]:
        return [self._report(arm) for arm in self._arms]

    def _report(self, arm: Arm) -> ArmReport:
        if arm.idle_reason:
            return ArmReport(arm.name, arm.idle_state, arm.idle_reason)
        failure = self._failed.get(arm.name, "")
        state = ArmState.DEGRADED if failure else ArmState.RAN
        return ArmReport(arm.name, state, failure, self._seconds[arm.name])

    @asynccontextmanager
    async def _running(
        self,
        arm: Arm,
        share: float,
        generic_plans: bool | None = None,
        needs_no_statement: bool | None = None,
    ) -> AsyncIterator[None]:
        label = {names.SEARCH_ARM: arm.name.name.lower()}
        limit_s = min(arm.time_limit_s, remaining(STATEMENT_CAP_S) * share)
        started = time.perf_counter()
        try:
            with inner_span("search arm", attributes=label):
                if not (
                    arm.needs_no_statement if needs_no_statement is None else needs_no_statement
                ):
                    once = generic_plans or arm.generic_plans
                    await self.prepare(generic_plans=once, limit_s=limit_s)
                yield
        except psycopg.Error as error:
            if self.conn.broken or isinstance(error, _ENDS):
                raise
            self._failed[arm.name] = _reason(error)
            log.warning("search arm failed", extra={**label, "error": repr(error)})
            raise ArmFailed(arm) from error
        finally:
            elapsed = time.perf_counter() - started
            self._seconds[arm.name] += elapsed
            duration_histogram(names.SEARCH_ARM_DURATION).record(elapsed, label)


def _reason(error: psycopg.Error) -> str:
    if isinstance(error, psycopg.errors.QueryCanceled):
        return "it did not finish in its time"
    return "the database refused it"

"""Runs arms: each within its time, in a savepoint and under a span, so that one that fails does not fail the search."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

import psycopg

from everword.db.pool import STATEMENT_CAP_S, Connection
from everword.domain.deadline import remaining
from everword.telemetry import names
from everword.telemetry.tracing import duration_histogram, tracer
from everword_search import store
from everword_search.arms.base import Arm, RankingArm, Window
from everword_search.arms.semantic import SemanticArm
from everword_search.model import ArmReport, ArmState, Candidate, SearchArm

log = logging.getLogger(__name__)
#: Of the time that is left, what one statement of an arm may take while others wait for their turn.
TIME_SHARE = 0.4


class ArmFailed(Exception):
    """An arm could not answer; its cause is the driver's error."""

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm.name.name)
        self.arm = arm


class Runner:
    """Runs the arms of one search on its connection, and keeps what became of each."""

    def __init__(self, conn: Connection, arms: Sequence[Arm]) -> None:
        self.conn = conn
        self._seconds = {arm.name: 0.0 for arm in arms}
        self._idle = {arm.name: (arm.idle_state, arm.idle_reason) for arm in arms}
        self._failed: dict[SearchArm, str] = {}

    async def find(self, arm: Arm, window: Window, share: float = 1.0) -> list[Candidate]:
        """Return an arm's candidates within `share` of the time that is left. Raises ArmFailed."""
        async with self._running(arm, share, finds=True):
            return await arm.find(self.conn, window)

    async def score(
        self, arm: RankingArm, source_ids: Sequence[UUID], share: float
    ) -> list[Candidate]:
        """Return what an arm says of some memories, within `share` of the time that is left. Raises ArmFailed."""
        async with self._running(arm, share):
            return await arm.score(self.conn, source_ids)

    async def deviations(
        self, arm: SemanticArm, passage_ids: Sequence[int], share: float
    ) -> dict[int, float]:
        """Return how alike passages are to the query; see SemanticArm.deviations. Raises ArmFailed."""
        async with self._running(arm, share):
            return await arm.deviations(self.conn, passage_ids)

    def reports(self) -> list[ArmReport]:
        return [self._report(name) for name in self._seconds]

    def _report(self, name: SearchArm) -> ArmReport:
        idle_state, idle_reason = self._idle[name]
        if idle_reason:
            return ArmReport(name, idle_state, idle_reason)
        failure = self._failed.get(name, "")
        state = ArmState.DEGRADED if failure else ArmState.RAN
        return ArmReport(name, state, failure, self._seconds[name])

    @asynccontextmanager
    async def _running(self, arm: Arm, share: float, finds: bool = False) -> AsyncIterator[None]:
        label = {names.SEARCH_ARM: arm.name.name.lower()}
        seconds_left = remaining(STATEMENT_CAP_S)
        started = time.perf_counter()
        try:
            with tracer().start_as_current_span("search arm", attributes=label):
                async with self.conn.transaction():
                    seconds = min(arm.time_limit_s, seconds_left * share)
                    await store.limit_time(self.conn, seconds, finds)
                    yield
        except psycopg.Error as error:
            if self.conn.broken:
                raise
            self._failed[arm.name] = _reason(error)
            log.warning("search arm failed", extra={**label, "error": repr(error)})
            raise ArmFailed(arm) from error
        finally:
            took = time.perf_counter() - started
            self._seconds[arm.name] += took
            duration_histogram(names.SEARCH_ARM_DURATION).record(took, label)


def _reason(error: psycopg.Error) -> str:
    if isinstance(error, psycopg.errors.QueryCanceled):
        return "it did not finish in its time"
    return "the database refused it"

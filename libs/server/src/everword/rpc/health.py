"""Health of a service: SERVING while Postgres answers and has the schema that this code needs."""

from __future__ import annotations

import asyncio
import logging
import time

import psycopg
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import aio as health_aio

from everword.db.migrate import required_version
from everword.db.periodic import PeriodicTask
from everword.db.pool import SQL, Database
from everword.telemetry import names
from everword.telemetry.tracing import duration_histogram, gauge

log = logging.getLogger(__name__)
_STATUS = health_pb2.HealthCheckResponse.ServingStatus
#: Name that reports SERVING while the process responds: a restart helps against nothing else.
LIVENESS = "liveness"
CHECK_INTERVAL_S = 2.0
CHECK_TIMEOUT_S = 2.0


class Health:
    """Keeps the health service's answers true."""

    def __init__(self, database: Database, services: list[str]) -> None:
        self.servicer = health_aio.HealthServicer()
        self._database = database
        self._names = ["", *services]
        self._serving: bool | None = None
        #: True if migrations that this code needs are missing; False also if the database does not answer.
        self.schema_is_older = False
        self._rounds = PeriodicTask("health", CHECK_INTERVAL_S, [self._watch])
        #: When the event loop is to begin the next check.
        self._due = 0.0

    async def open(self) -> None:
        """Answer NOT_SERVING until `start`, except for liveness."""
        await self.servicer.set(LIVENESS, _STATUS.Value("SERVING"))
        await self._set(False)

    async def start(self) -> None:
        """Answer SERVING while the database is ready."""
        await self._check()
        self._rounds.start()

    async def stop(self) -> None:
        """Answer NOT_SERVING from now on."""
        await self.servicer.enter_graceful_shutdown()
        await self._rounds.stop()

    async def _watch(self) -> None:
        # How late a timer fires is how long a handler blocked the loop.
        duration_histogram(names.LOOP_LAG).record(max(0.0, time.monotonic() - self._due))
        self._record_pool()
        await self._check()

    def _record_pool(self) -> None:
        pool = self._database.pool_stats()
        gauge(names.POOL_SIZE, "{connection}").set(pool["pool_size"])
        gauge(names.POOL_WAITING, "{request}").set(pool["requests_waiting"])

    async def _check(self) -> None:
        await self._set(await self._ready())
        self._due = time.monotonic() + CHECK_INTERVAL_S

    async def _ready(self) -> bool:
        # Not by the pool: busy is not broken, and taking the service out would only move the load.
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                version = await self._database.probe(SQL["schema_version"])
        except psycopg.errors.UndefinedTable:
            version = None
        except (psycopg.Error, TimeoutError) as error:
            log.warning("database not ready", extra={"error": str(error)})
            return False
        self.schema_is_older = version is None or version < required_version()
        if self.schema_is_older:
            log.error(
                "schema is older than this release: run `everword migrate`",
                extra={"found": version, "needed": required_version()},
            )
            return False
        return True

    async def _set(self, serving: bool) -> None:
        if serving == self._serving:
            return
        self._serving = serving
        status = _STATUS.Value("SERVING" if serving else "NOT_SERVING")
        for name in self._names:
            await self.servicer.set(name, status)
        log.info("health changed", extra={"serving": serving})

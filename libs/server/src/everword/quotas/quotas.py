"""The limits of all namespaces in one server process, kept in step with the other processes."""

from __future__ import annotations

import asyncio
import logging

import psycopg
from cachetools import LRUCache
from psycopg_pool import PoolTimeout

from everword.db.pipeline import rolled_back
from everword.db.pool import Database
from everword.domain.background import end_tasks
from everword.quotas.store import fold_usage
from everword.quotas.usage import QuotaUsage

log = logging.getLogger(__name__)
#: Seconds between two exchanges of counts between processes, while there are calls.
FOLD_S = 1.0
#: After so long, a database that took no counts is asked again: it may be no standby any more.
READ_ONLY_S = 30.0
#: Namespaces of which a process knows the limits. One that is forgotten is asked for at its next call.
KNOWN = 10_000


class Quotas:
    """Holds the limits and the usage of each namespace, and exchanges counts with the other processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._usages: LRUCache[int, QuotaUsage] = LRUCache(KNOWN)
        self._active = asyncio.Event()
        self._hurried = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        #: True if the last exchange failed.
        self._alone = False

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        await end_tasks([self._task])

    def usage(self, namespace_id: int) -> QuotaUsage:
        """Return the usage of a namespace that is called now."""
        usage = self._usages.get(namespace_id)
        if usage is None:
            usage = QuotaUsage(self._schedule_exchange, self._active.set)
            self._usages[namespace_id] = usage
        usage.alone = self._alone
        usage.active = True
        self._active.set()
        if usage.is_outdated:
            self._hurried.set()
        return usage

    def _schedule_exchange(self) -> None:
        self._active.set()
        self._hurried.set()

    async def fold(self) -> None:
        """Send the counts of this process to the others, and read theirs."""
        active = {id_: usage for id_, usage in self._usages.items() if usage.active}
        counted = {id_: usage.send() for id_, usage in active.items()}
        try:
            async with self._database.connection() as conn, rolled_back(conn), conn.pipeline():
                rows = await fold_usage(conn, counted)
        except BaseException:
            for usage in active.values():
                usage.not_sent()
            self._apply_last_limits()
            raise
        self._alone = False
        for id_, usage in active.items():
            if id_ in rows:
                usage.sent(rows[id_])
            else:
                # The namespace was deleted: waiting calls go on, and get that error.
                self._usages.pop(id_, None)
                usage.alone = True
                usage.wake_waiting_calls()

    def _apply_last_limits(self) -> None:
        """Apply the last known limits until counts can be exchanged again."""
        self._alone = True
        for usage in self._usages.values():
            usage.alone = True
            usage.wake_waiting_calls()

    async def _run(self) -> None:
        while True:
            await self._active.wait()
            try:
                async with asyncio.timeout(FOLD_S):
                    await self._hurried.wait()
            except TimeoutError:
                pass
            self._active.clear()
            self._hurried.clear()
            try:
                await self.fold()
            except psycopg.errors.ReadOnlySqlTransaction:
                # Over a standby, which takes no counts, no limit holds.
                await asyncio.sleep(READ_ONLY_S)
            except (psycopg.Error, PoolTimeout) as error:
                # Each process continues alone with the limits that it knows.
                log.warning("quotas not synchronised", extra={"error": str(error)})
                await asyncio.sleep(FOLD_S)

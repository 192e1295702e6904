"""Sends the wake-ups of jobs: one thread in each ingest process."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

import redis

from everword.db.blocking import BlockingDatabase
from everword.db.periodic import PeriodicThread
from everword.jobs import queue, store
from everword.jobs.settings import QueueSettings
from everword.jobs.store import Publication

log = logging.getLogger(__name__)
#: How often it looks without being woken: for jobs whose pause has ended, and those of processes that died.
POLL_S = 1.0
#: How long it leaves Redis alone after a failure, so that a dead one costs little.
REDIS_PAUSE_S = 2.0
BATCH = 500
#: Due jobs among which namespaces take turns: more come into it as fast as wake-ups are sent.
WINDOW = 50_000
#: Rounds that a wake-up may be under way before it is sent again. A duplicate does no harm.
EARLY_STOPPING_ROUNDS = 3


def send(
    database: BlockingDatabase, connection: redis.Redis, publications: Sequence[Publication]
) -> None:
    """Send the wake-ups of jobs that were claimed. Raises redis.RedisError when these are given back."""
    if not publications:
        return
    try:
        queue.enqueue(connection, publications)
    except redis.RedisError:
        with database.connection() as conn:
            store.release_publications(conn, publications)
        raise


class Publisher(PeriodicThread):
    """Enqueues due jobs. An unavailable Redis only delays them: the jobs stay in PostgreSQL.

    A write that has committed jobs calls `wake`; `stop` sends due jobs first.
    """

    def __init__(
        self,
        database: BlockingDatabase,
        connection: redis.Redis,
        sweep_s: float = QueueSettings.sweep_s,
    ) -> None:
        """It looks after lost wake-ups every `sweep_s`."""
        super().__init__("publisher", POLL_S, [self._send_due], flushes=True)
        self._database = database
        self._redis = connection
        self._sweep_s = sweep_s
        self._max_wait_s = EARLY_STOPPING_ROUNDS * sweep_s
        self._look_at = time.monotonic() + sweep_s

    def publish(self) -> int:
        """Send the wake-ups of one batch of jobs, and return how many. Raises redis.RedisError, with none claimed."""
        with self._database.connection() as conn:
            publications = store.claim_publications(conn, BATCH, WINDOW)
        send(self._database, self._redis, publications)
        return len(publications)

    def resend_lost(self) -> int:
        """Let wake-ups be sent again that Redis lost, and return how many. Raises redis.RedisError.

        Any wake-up starts any job of its task. So as many are lost as there are fewer in Redis than jobs that wait for
        one: however long a queue is, nothing is sent twice for that.
        """
        lost = 0
        # Count before Redis is asked, so that jobs sent in between do not count as lost.
        with self._database.connection() as conn:
            counts = store.count_published(conn)
        for published in counts:
            missing = published.jobs - queue.count_waiting(self._redis, published.task)
            if missing > 0:
                lost += self._resend(published.task, missing)
        return lost

    def _resend(self, task: str, missing: int) -> int:
        """Allow up to `missing` wake-ups that were sent long ago to be sent again, and return their number."""
        resent = 0
        with self._database.connection() as conn:
            while batch := min(missing - resent, BATCH):
                found = store.republish_lost(conn, task, self._max_wait_s, batch)
                resent += found
                if found < batch:
                    break
        return resent

    def _send_due(self) -> None:
        try:
            if time.monotonic() >= self._look_at and not self.stopping.is_set():
                self._look_at = time.monotonic() + self._sweep_s
                self.resend_lost()
            while self.publish() == BATCH:
                pass
        except redis.RedisError as error:
            log.warning("Redis unavailable, wake-ups delayed", extra={"error": str(error)})
            self.stopping.wait(REDIS_PAUSE_S)

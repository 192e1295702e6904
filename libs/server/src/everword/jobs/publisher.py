"""Sends the wake-ups of jobs: one thread in each ingest process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence

import psycopg
import redis

from everword.db.blocking import BlockingDatabase
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
#: How many looks a wake-up may be on its way. One too many does no harm.
PATIENCE_ROUNDS = 3


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


class Publisher:
    """Enqueues what is due. A dead Redis only delays: the jobs stay in Postgres."""

    def __init__(
        self,
        database: BlockingDatabase,
        connection: redis.Redis,
        sweep_s: float = QueueSettings.sweep_s,
    ) -> None:
        """It looks after lost wake-ups every `sweep_s`."""
        self._database = database
        self._redis = connection
        self._sweep_s = sweep_s
        self._patience_s = PATIENCE_ROUNDS * sweep_s
        self._woken = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Say that a write has committed jobs. Never blocks."""
        self._woken.set()

    def stop(self) -> None:
        """Send what is due, and end."""
        self._stopping = True
        self._woken.set()
        self._thread.join(timeout=5.0)

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
        # Counted before Redis is asked: what is sent in between is not taken for lost.
        with self._database.connection() as conn:
            counts = store.count_published(conn)
        for published in counts:
            missing = published.jobs - queue.count_waiting(self._redis, published.task)
            if missing > 0:
                lost += self._resend(published.task, missing)
        return lost

    def _resend(self, task: str, missing: int) -> int:
        """Let up to so many wake-ups be sent again that were sent long ago, and return how many."""
        resent = 0
        with self._database.connection() as conn:
            while batch := min(missing - resent, BATCH):
                found = store.republish_lost(conn, task, self._patience_s, batch)
                resent += found
                if found < batch:
                    break
        return resent

    def _run(self) -> None:
        look_at = time.monotonic() + self._sweep_s
        while not self._stopping:
            self._woken.wait(POLL_S)
            self._woken.clear()
            try:
                if time.monotonic() >= look_at and not self._stopping:
                    look_at = time.monotonic() + self._sweep_s
                    self.resend_lost()
                while self.publish() == BATCH:
                    pass
            except redis.RedisError as error:
                log.warning("wake-ups wait for Redis", extra={"error": str(error)})
                threading.Event().wait(0 if self._stopping else REDIS_PAUSE_S)
            except psycopg.Error as error:
                log.warning("publisher cannot reach the database", extra={"error": str(error)})
            except Exception:  # the thread's edge: without it, wake-ups would stop for good
                log.exception("publisher failed")

"""Sends the wake-ups of jobs: one thread in each ingest process."""

from __future__ import annotations

import logging
import threading
import time

import psycopg
import redis

from everword.db.blocking import BlockingDatabase
from everword.jobs import queue, store
from everword.jobs.settings import QueueSettings

log = logging.getLogger(__name__)
#: How often it looks without being woken: for jobs whose pause has ended, and those of processes that died.
POLL_S = 1.0
#: How long it leaves Redis alone after a failure, so that a dead one costs little.
REDIS_PAUSE_S = 2.0
BATCH = 500
#: How many looks a wake-up may be on its way. A second one for the same job does no harm.
PATIENCE_ROUNDS = 3


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
            publications = store.claim_publications(conn, BATCH)
        if not publications:
            return 0
        try:
            queue.enqueue(self._redis, publications)
        except redis.RedisError:
            with self._database.connection() as conn:
                store.release_publications(conn, publications)
            raise
        return len(publications)

    def resend_lost(self) -> int:
        """Let wake-ups be sent again that Redis lost, and return how many. Raises redis.RedisError.

        Workers take them in the order in which they were sent. So one that was sent long before the next one in Redis
        is there no more, and the others wait: however long a queue is, nothing is sent twice for that.
        """
        lost = 0
        with self._database.connection() as conn:
            tasks = store.list_published_tasks(conn)
        for task in tasks:
            next_sent_at = queue.next_sent_at(self._redis, task)
            found = BATCH
            while found == BATCH:
                with self._database.connection() as conn:
                    found = store.republish_lost(conn, task, next_sent_at, self._patience_s, BATCH)
                lost += found
        return lost

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

"""The publisher of the jobs that ingest's writes make: one in each process."""

from __future__ import annotations

from everword.db.blocking import BlockingDatabase
from everword.db.settings import DatabaseSettings
from everword.jobs.publisher import Publisher
from everword.jobs.queue import connect
from everword.jobs.settings import QueueSettings


class Outbox:
    """The publisher with its connections. Without Redis there is none, and jobs wait in PostgreSQL."""

    def __init__(self, settings: DatabaseSettings, service: str, queue: QueueSettings) -> None:
        self._settings = settings
        self._service = service
        self._queue = queue
        self._publisher: Publisher | None = None

    def start(self) -> None:
        if not self._queue.redis_url:
            return
        self._database = BlockingDatabase(self._settings, self._service)
        self._database.open()
        self._redis = connect(self._queue.redis_url)
        self._publisher = Publisher(self._database, self._redis, self._queue.sweep_s)
        self._publisher.start()

    def wake(self) -> None:
        """Say that a write has committed jobs. Never blocks."""
        if self._publisher:
            self._publisher.wake()

    def stop(self) -> None:
        if self._publisher:
            self._publisher.stop()
            self._redis.close()
            self._database.close()

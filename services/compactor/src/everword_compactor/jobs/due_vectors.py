"""Delays the jobs of a worker while vectors of messages are due, because callers wait for these.

On two cores, an import of 675 messages was searchable by meaning after 10 s without concurrent summaries, and after 13
s with them (medians of three), although workers have a lower priority.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import psycopg

from everword.db.blocking import BlockingDatabase, fetch_value
from everword.db.statements import load_statements

log = logging.getLogger(__name__)
SQL = load_statements("everword_compactor.jobs")
#: Maximum delay of one job in seconds. A worker is killed 15 s after SIGTERM.
JOB_WAIT_S = 5.0
#: Maximum unbroken period of due vectors in seconds; afterwards jobs start at once, since messages may never stop.
BACKLOG_S = 60.0
POLL_S = 0.25


class DueVectors:
    """The vectors that are due in any namespace, if the embedding model runs on this machine. Threads may share it."""

    def __init__(
        self,
        database: BlockingDatabase,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._database = database
        self._clock = clock
        self._sleep = sleep
        #: When an unbroken period of due vectors began; None if the last query found none.
        self._due_since: float | None = None

    def wait(self) -> None:
        """Return when no vector is due, or when the job has waited for long enough."""
        give_up_at = self._clock() + JOB_WAIT_S
        while self._are_due():
            now = self._clock()
            # The thread of another task may reset it at any time.
            since = self._due_since
            due_since = self._due_since = now if since is None else since
            if now >= min(give_up_at, due_since + BACKLOG_S):
                return
            self._sleep(POLL_S)
        self._due_since = None

    def _are_due(self) -> bool:
        try:
            with self._database.connection() as conn:
                return bool(fetch_value(conn, SQL["vectors_are_due"]))
        except psycopg.OperationalError as error:
            # The job itself reports an unavailable database.
            log.warning("compactor.due_vectors_unknown", extra={"error": str(error)})
            return False

"""Begin runs of retention at night and continue them in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.ids import new_id
from everword.domain.periods import Calendar, last_night
from everword.domain.times import utc_now
from everword_ingest.erasure.batch_runner import BatchRunner
from everword_ingest.erasure.model import RunningDeletion
from everword_ingest.retention import store
from everword_ingest.retention.steps import remove_batch

#: Seconds between two looks for a finished night, and for unfinished work of other processes.
INTERVAL_S = 10.0
#: Runs that one round looks at.
RUNS = 100


class RetentionRunner(BatchRunner):
    """Removes what policies let go."""

    name = "retention"

    def __init__(self, database: Database, follow_up: Callable[[], None]) -> None:
        """`follow_up` is called after a run: there may be summaries to write again."""
        super().__init__(database, INTERVAL_S)
        self._follow_up = follow_up

    async def begin(self, now: datetime | None = None) -> int:
        """Begin the runs of nights that are over; return how many."""
        now = now or utc_now()
        async with self._database.connection() as conn:
            idle = await store.idle_retention(conn)
        begun = 0
        for row in idle:
            calendar = Calendar(row.time_zone, row.day_cutoff_minutes)
            night = last_night(calendar, now)
            # The first run is the night after the policy was set.
            if night > max(last_night(calendar, row.set_at), row.night or night.min):
                async with self._database.transaction(row.namespace_id) as conn:
                    await store.begin_run(conn, row.namespace_id, new_id(), night)
                begun += 1
        return begun

    async def _list_running(self, conn: Connection) -> Sequence[RunningDeletion]:
        return await store.running_retention(conn, RUNS)

    async def _delete_batch(self, namespace_id: int, id_: UUID) -> bool:
        async with self._database.transaction(namespace_id) as conn:
            done = await remove_batch(conn, namespace_id, id_)
        if done:
            self._follow_up()
        return done

    async def _record_failure(
        self, conn: Connection, namespace_id: int, id_: UUID, error: str
    ) -> None:
        await store.fail_run(conn, namespace_id, id_, error)

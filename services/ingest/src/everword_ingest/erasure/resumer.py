"""Continue erasures in the background."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Connection, Database
from everword_ingest.erasure import store
from everword_ingest.erasure.batch_runner import BatchRunner
from everword_ingest.erasure.model import RunningDeletion
from everword_ingest.erasure.removal import BATCH, follow

log = logging.getLogger(__name__)
#: Seconds between two looks for unfinished erasures of other processes.
INTERVAL_S = 5.0
#: Erasures that one round looks at.
ERASURES = 100


class ErasureResumer(BatchRunner):
    """Ends what `erase` began."""

    name = "erasure"

    def __init__(self, database: Database) -> None:
        super().__init__(database, INTERVAL_S)

    async def _list_running(self, conn: Connection) -> Sequence[RunningDeletion]:
        return await store.running_erasures(conn, ERASURES)

    async def _delete_batch(self, namespace_id: int, id_: UUID) -> bool:
        async with self._database.transaction(namespace_id) as conn:
            did = await store.erase_batch(conn, namespace_id, id_, BATCH)
            await follow(conn, namespace_id, did)
        if did.done and did.counts:
            log.info("erasure done", extra={"erasure_id": str(id_)})
        return did.done

    async def _record_failure(
        self, conn: Connection, namespace_id: int, id_: UUID, error: str
    ) -> None:
        await store.fail_erasure(conn, namespace_id, id_, error)

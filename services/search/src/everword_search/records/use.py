"""Counts uses of memories."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_search.records import store

log = logging.getLogger(__name__)


async def count_use(
    database: Database, namespace: NamespaceScope, memory_ids: Sequence[UUID]
) -> None:
    """Count one use of each memory. An error is only logged, so that the response is not lost."""
    if not memory_ids:
        return
    try:
        async with database.transaction(namespace.id) as conn:
            await store.insert_memory_use(conn, namespace.id, memory_ids)
    except (psycopg.Error, PoolTimeout) as error:
        log.warning("uses not counted", extra={"memories": len(memory_ids), "error": repr(error)})

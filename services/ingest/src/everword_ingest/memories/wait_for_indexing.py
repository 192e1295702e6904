"""Wait until the background work of a write is done."""

from __future__ import annotations

import asyncio
import time
from enum import IntEnum

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import ConsistencyToken
from everword_ingest.memories import store

FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 1.0


class Stage(IntEnum):
    """The stages that a memory goes through. Values equal proto `IndexingStage`."""

    LEXICAL = 1
    EMBEDDED = 2
    DERIVED = 3


async def wait_for_indexing(
    database: Database, namespace: NamespaceScope, token: str, stage: Stage
) -> float:
    """Return the seconds waited. Raises InvalidConsistencyToken; the caller's deadline ends the wait."""
    started = time.monotonic()
    covered = ConsistencyToken.read(await database.token_secret(), token, namespace.id)
    pause = FIRST_PAUSE_S
    # Committed messages are findable by their words, so LEXICAL needs no wait.
    while stage > Stage.LEXICAL and await _is_open(database, covered, stage):
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE_S)
    return time.monotonic() - started


async def _is_open(database: Database, covered: ConsistencyToken, stage: Stage) -> bool:
    async with database.transaction(covered.namespace_id) as conn:
        derived = stage is Stage.DERIVED
        if await store.pending_vectors(
            conn, covered.namespace_id, covered.memory_id, derived=derived
        ):
            return True
        return derived and await store.open_jobs(conn, covered.namespace_id)

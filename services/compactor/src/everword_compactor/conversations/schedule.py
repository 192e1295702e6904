"""Finds conversations whose nodes another model wrote, or an older prompt, in every namespace."""

from __future__ import annotations

from everword.db.blocking import BlockingDatabase
from everword_compactor.compose.current_composer import CurrentComposer
from everword_compactor.compose.model import Level
from everword_compactor.conversations import store

#: Nodes in a round and level, so that scheduled work is done before more is added.
BATCH = 100


def schedule_outdated(database: BlockingDatabase, current: CurrentComposer) -> int:
    """Schedule conversations with outdated nodes, a batch a round; returns how many were not scheduled yet."""
    scheduled = 0
    for level in (Level.LEAF, Level.BRANCH, Level.ROOT):
        with database.connection() as conn:
            outdated = store.outdated_conversations(
                conn, level, current.model, current.versions[level], BATCH
            )
            if outdated:
                scheduled += store.schedule_outdated(conn, outdated)
    return scheduled

"""Save state as the next version of its name, and let the oldest versions go."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import (
    CheckpointLimitReached,
    CheckpointVersionConflict,
    InvalidArgument,
)
from everword.domain.ids import new_id
from everword.domain.not_found import CheckpointNotFound, ConversationNotFound
from everword_ingest.checkpoints import store
from everword_ingest.checkpoints.model import MAX_NAMES, NewCheckpoint, SavedCheckpoint
from everword_ingest.checkpoints.store import FoundCheckpoint
from everword_ingest.request_ids.claims import claim_request


async def save_checkpoint(
    database: Database, namespace: NamespaceScope, saving: NewCheckpoint
) -> SavedCheckpoint:
    """Save a checkpoint, or find that an equal call did.

    Raises RequestIdConflict, ConversationNotFound, CheckpointNotFound for a parent, CheckpointVersionConflict,
    CheckpointLimitReached and InvalidArgument.
    """
    id_ = saving.checkpoint_id or new_id()
    async with database.transaction(namespace.id) as conn:
        earlier = await claim_request(
            conn, namespace.id, saving.request_id, saving.body_hash, message_ids=[id_]
        )
        if earlier is not None:
            [id_] = earlier.message_ids
            found = await store.find_checkpoint(conn, namespace.id, id_)
            return SavedCheckpoint(id_, found.version if found else 0, replayed=True)
        return await _save(conn, namespace.id, saving, id_)


async def _save(
    conn: Connection, namespace_id: int, saving: NewCheckpoint, id_: UUID
) -> SavedCheckpoint:
    place = saving.place
    if not await store.conversation_exists(conn, namespace_id, place.conversation_id):
        raise ConversationNotFound(conversation_id=place.conversation_id)
    version = await store.next_version(conn, namespace_id, place.conversation_id)
    if saving.checkpoint_id is not None:
        there = await store.find_checkpoint(conn, namespace_id, id_)
        if there is not None:
            return _replay(there, saving)
    await _check_parent(conn, namespace_id, saving)
    await _check_place(conn, namespace_id, saving)
    await store.insert_checkpoint(conn, namespace_id, saving, id_, version)
    await store.drop_oldest(conn, namespace_id, place, saving.max_versions)
    return SavedCheckpoint(id_, version, replayed=False)


def _replay(there: FoundCheckpoint, saving: NewCheckpoint) -> SavedCheckpoint:
    if there.body_hash != saving.body_hash:
        text = "is the id of another checkpoint"
        raise InvalidArgument(violations=(("checkpoint_id", text),))
    return SavedCheckpoint(there.id, there.version, replayed=True)


async def _check_parent(conn: Connection, namespace_id: int, saving: NewCheckpoint) -> None:
    if saving.parent_id is None:
        return
    parent = await store.find_checkpoint(conn, namespace_id, saving.parent_id)
    if parent is None or parent.conversation_id != saving.place.conversation_id:
        raise CheckpointNotFound(checkpoint_id=saving.parent_id)


async def _check_place(conn: Connection, namespace_id: int, saving: NewCheckpoint) -> None:
    """Check the expected version of the name and, for a new name, the number of names."""
    latest = await store.find_latest(conn, namespace_id, saving.place)
    current = latest.version if latest else 0
    if saving.expected_version not in (None, current):
        raise CheckpointVersionConflict(
            expected_version=saving.expected_version,
            current_version=current,
            current_checkpoint_id=latest.id if latest else "",
        )
    if latest is not None:
        return
    if await store.count_names(conn, namespace_id, saving.place.conversation_id) >= MAX_NAMES:
        raise CheckpointLimitReached(limit_names=MAX_NAMES)

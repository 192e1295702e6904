"""Read checkpoints, one with its state and lists without, and delete them: a missing one is no error."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import CheckpointNotFound, ConversationNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.checkpoints import store
from everword_ingest.checkpoints.model import Listing, NamedCheckpoint
from everword_ingest.checkpoints.store import CheckpointRow, CheckpointStateRow

#: Metadata of a page: 100 times 64 KiB.
MAX_PAGE = 100


async def get_checkpoint(
    database: Database, namespace: NamespaceScope, target: UUID | NamedCheckpoint
) -> CheckpointStateRow:
    """Return a checkpoint with its state: by its id, or the latest of a name. Raises CheckpointNotFound."""
    async with database.transaction(namespace.id) as conn:
        id_ = target
        if isinstance(id_, NamedCheckpoint):
            latest = await store.find_latest(conn, namespace.id, id_)
            if latest is None:
                raise CheckpointNotFound(**vars(target))
            id_ = latest.id
        found = await store.get_checkpoint(conn, namespace.id, id_)
    if found is None:
        raise CheckpointNotFound(checkpoint_id=id_)
    return found


async def list_checkpoints(
    database: Database, namespace: NamespaceScope, listing: Listing, page: PageRequest
) -> tuple[Sequence[CheckpointRow], str]:
    """Return a page of checkpoints, and the token of the next. Raises ConversationNotFound and InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListCheckpoints", page, maximum=MAX_PAGE)
    before = int(cursor.after[0]) if cursor.after else listing.before_version or None
    async with database.transaction(namespace.id) as conn:
        if not await store.conversation_exists(conn, namespace.id, listing.conversation_id):
            raise ConversationNotFound(conversation_id=listing.conversation_id)
        found = await store.list_checkpoints(conn, namespace.id, listing, before, cursor.limit)
    return cursor.cut(found, lambda last: [last.version])


async def delete_checkpoints(
    database: Database,
    namespace: NamespaceScope,
    *,
    checkpoint_id: UUID | None = None,
    conversation_id: UUID | None = None,
    name: str | None = None,
) -> int:
    """Delete a checkpoint, those of a name, or those of a conversation; return how many there were."""
    async with database.transaction(namespace.id) as conn:
        return await store.delete_checkpoints(
            conn,
            namespace.id,
            checkpoint_id=checkpoint_id,
            conversation_id=conversation_id,
            name=name,
        )

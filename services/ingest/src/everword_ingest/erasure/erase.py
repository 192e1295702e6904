"""Erase a target: it is hidden from the commit on, and large targets are deleted in the background."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import NotFound, OnLegalHold
from everword.domain.ids import new_id
from everword.domain.not_found import (
    ConversationNotFound,
    DocumentNotFound,
    ErasureNotFound,
    FactNotFound,
    MemoryNotFound,
    MessageNotFound,
    NodeNotFound,
    NoteNotFound,
    PatternNotFound,
)
from everword_ingest.erasure import store
from everword_ingest.erasure.model import ErasureResult, ErasureTarget, Kind, ResolvedTarget
from everword_ingest.erasure.removal import BATCH, follow, repeat_on_conflict
from everword_ingest.request_ids.claims import claim_request

_NOT_FOUND: dict[Kind | None, tuple[type[NotFound], str]] = {
    Kind.MESSAGE: (MessageNotFound, "message_id"),
    Kind.CONVERSATION: (ConversationNotFound, "conversation_id"),
    Kind.NOTE: (NoteNotFound, "note_id"),
    Kind.FACT: (FactNotFound, "fact_id"),
    Kind.LEARNED: (MemoryNotFound, "memory_id"),
    Kind.NODE: (NodeNotFound, "node_id"),
    Kind.PATTERN: (PatternNotFound, "pattern_id"),
    Kind.DOCUMENT: (DocumentNotFound, "document_id"),
    None: (MemoryNotFound, "memory_id"),
}


async def erase(
    database: Database,
    namespace: NamespaceScope,
    target: ErasureTarget,
    requested_by: str,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> ErasureResult:
    """Hide a target and delete its first batch, or return the result of an earlier identical request.

    `wake` is called after the commit: there may be more to delete, and derived memories to update. Raises
    RequestIdConflict, NotFound if there is no such target, and OnLegalHold.
    """
    return await repeat_on_conflict(
        lambda: _erase(database, namespace, target, requested_by, request_id, body_hash, wake)
    )


async def _erase(
    database: Database,
    namespace: NamespaceScope,
    target: ErasureTarget,
    requested_by: str,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> ErasureResult:
    erasure_id = new_id()
    left = 0
    async with database.transaction(namespace.id) as conn:
        earlier = await claim_request(
            conn, namespace.id, request_id, body_hash, message_ids=[erasure_id]
        )
        if earlier is None:
            await store.lock_job_starts(conn, namespace.id)
            resolved = await resolve_target(conn, namespace.id, target)
            left = await _begin(conn, namespace.id, erasure_id, resolved, requested_by)
        else:
            [erasure_id] = earlier.message_ids
        row = await store.get_erasure(conn, namespace.id, erasure_id)
    wake()
    if row is None:
        raise ErasureNotFound(erasure_id=erasure_id)
    return ErasureResult(row, left, earlier is not None)


async def resolve_target(
    conn: Connection, namespace_id: int, target: ErasureTarget
) -> ResolvedTarget:
    """Resolve a target to the kind and id of the whole thing to erase. Raises NotFound and OnLegalHold."""
    if target.id is None:
        assert target.kind is not None
        resolved = ResolvedTarget(target.kind, name=target.name)
    else:
        found = await store.find_target(conn, namespace_id, target)
        if found is None:
            error, field = _NOT_FOUND[target.kind]
            raise error(**{field: str(target.id)})
        resolved = ResolvedTarget(found.kind, id=found.id)
    hold_id = await store.find_erasure_hold(conn, namespace_id, resolved)
    if hold_id is not None:
        raise OnLegalHold(hold_id=hold_id)
    return resolved


async def _begin(
    conn: Connection, namespace_id: int, erasure_id: UUID, target: ResolvedTarget, requested_by: str
) -> int:
    """Begin an erasure, and finish it if it is small; return the number of messages left."""
    did, left = await store.begin_erasure(conn, namespace_id, erasure_id, target, requested_by)
    await follow(conn, namespace_id, did)
    if left > BATCH:
        return left
    did = await store.erase_batch(conn, namespace_id, erasure_id, BATCH)
    await follow(conn, namespace_id, did)
    return 0 if did.done else left

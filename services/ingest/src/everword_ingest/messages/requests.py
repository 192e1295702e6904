"""Request ids: what makes a write repeatable."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.errors import ContentErased, RequestIdConflict
from everword_ingest import store
from everword_ingest.store import RequestRow


async def claim_request(
    conn: Connection,
    namespace_id: int,
    request_id: str,
    body_hash: bytes,
    conversation_id: UUID | None = None,
    message_ids: Sequence[UUID] = (),
) -> RequestRow | None:
    """Claim a request id for this transaction; without one, nothing is claimed.

    Returns None where the write has to be done, and what the earlier call did where it was done before. Raises
    RequestIdConflict where the id was used with another body, and ContentErased where what it wrote was erased. Of two
    equal calls at once, the second waits here until the first has committed.
    """
    if not request_id or await store.claim_request(
        conn, namespace_id, request_id, body_hash, conversation_id, message_ids
    ):
        return None
    earlier = await store.find_request(conn, namespace_id, request_id)
    if earlier is not None and not earlier.body_hash:
        raise ContentErased(request_id=request_id)
    if earlier is None or earlier.body_hash != body_hash:
        raise RequestIdConflict(request_id=request_id)
    return earlier

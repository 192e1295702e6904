"""Read the record of erasures."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ErasureNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.erasure import store
from everword_ingest.erasure.model import ErasureRow

DEFAULT_PAGE = 20


async def get_erasure(
    database: Database, namespace: NamespaceScope, erasure_id: UUID
) -> ErasureRow:
    """Return how an erasure stands. Raises ErasureNotFound."""
    async with database.transaction(namespace.id) as conn:
        found = await store.get_erasure(conn, namespace.id, erasure_id)
    if found is None:
        raise ErasureNotFound(erasure_id=erasure_id)
    return found


async def list_erasures(
    database: Database, namespace: NamespaceScope, page: PageRequest
) -> tuple[Sequence[ErasureRow], str]:
    """Return a page of erasures, latest first, and the token of the next one. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListErasures", page, default=DEFAULT_PAGE)
    async with database.transaction(namespace.id) as conn:
        found = await store.list_erasures(conn, namespace.id, cursor.after_id, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id)])

"""Say what the deletion of a namespace would take, delete it, and list what was deleted."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import UUID

import psycopg

from everword.db.pool import Database
from everword.domain.not_found import NamespaceNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.namespaces import store
from everword_ingest.namespaces.model import NamespaceDeletionRow

log = logging.getLogger(__name__)
#: Rows in one transaction of a deletion: short, so that it holds nobody up and a broken call loses little.
ERASE_BATCH = 2_000


async def preview_namespace_deletion(database: Database, name: str) -> dict[str, int]:
    """Return how many rows of which tables a deletion would take; of one that was broken off, what is left.

    Raises NamespaceNotFound where nothing of the namespace is left.
    """
    async with database.connection() as conn:
        counts = await store.count_namespace_rows(conn, name)
    if counts is None:
        raise NamespaceNotFound(namespace=name)
    return counts


async def delete_namespace(
    database: Database, name: str, api_key_id: UUID | None, requested_by: str
) -> tuple[int, NamespaceDeletionRow]:
    """Erase a namespace with all that is in it; return how many rows this call erased, and the record of the deletion.

    From the first step on nobody reaches it. A call that ends early leaves the rest to the next one; the record keeps
    who called first. Raises NamespaceNotFound where nothing of it is left.
    """
    async with database.connection() as conn:
        id_ = await store.begin_namespace_deletion(conn, name, api_key_id, requested_by)
    if id_ is None:
        raise NamespaceNotFound(namespace=name)
    erased = 0
    while batch := await _erase(database, id_):
        erased += batch
    log.info("namespace erased", extra={"namespace": name, "rows": erased})
    async with database.connection() as conn:
        return erased, await store.get_namespace_deletion(conn, id_)


async def _erase(database: Database, id_: int) -> int:
    """Erase a batch, in a transaction of its own; 0 when the namespace itself is gone."""
    while True:
        try:
            async with database.connection() as conn:
                return await store.erase_namespace_rows(conn, id_, ERASE_BATCH)
        except (psycopg.errors.ForeignKeyViolation, psycopg.errors.RestrictViolation):
            # A call that was let in before the deletion, or for as long as keys are cached, has written meanwhile, or a
            # worker has linked a node to what is being erased: an error of its own from PostgreSQL 18 on.
            log.info("namespace was written to while it was erased", extra={"namespace_id": id_})


async def list_namespace_deletions(
    database: Database, namespace: str, page: PageRequest
) -> tuple[Sequence[NamespaceDeletionRow], str]:
    """Return a page of deletions, latest first, and the token of the next page: of namespaces of a name, or all for ''.

    Raises InvalidPageToken.
    """
    cursor = await open_cursor(database, None, "ListNamespaceDeletions", page)
    async with database.connection() as conn:
        found = await store.list_namespace_deletions(conn, namespace, cursor.after_id, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id)])

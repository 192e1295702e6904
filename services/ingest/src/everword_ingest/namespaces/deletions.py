"""Preview the deletion of a namespace, delete it, and list deleted namespaces."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import UUID

import psycopg

from everword.db.pool import Connection, Database
from everword.domain.errors import OnLegalHold
from everword.domain.not_found import NamespaceNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.namespaces import store
from everword_ingest.namespaces.model import NamespaceDeletionRow

log = logging.getLogger(__name__)
#: Rows in one transaction of a deletion: few, so that other writers wait briefly and an interrupted call loses little.
ERASE_BATCH = 2_000


async def preview_namespace_deletion(database: Database, name: str) -> dict[str, int]:
    """Return the number of rows by table that a deletion would remove; those left, if one was interrupted.

    Raises NamespaceNotFound if nothing of the namespace is left, and OnLegalHold.
    """
    async with database.connection() as conn:
        await _refuse_if_on_hold(conn, name)
        counts = await store.count_namespace_rows(conn, name)
    if counts is None:
        raise NamespaceNotFound(namespace=name)
    return counts


async def delete_namespace(
    database: Database, name: str, api_key_id: UUID | None, requested_by: str
) -> tuple[int, NamespaceDeletionRow]:
    """Erase a namespace with everything in it; return the number of rows erased by this call, and the deletion's
    record.

    The namespace is unreachable from the first step on. An interrupted call leaves the rest to the next one; the record
    keeps the first caller. Raises NamespaceNotFound if nothing of it is left, and OnLegalHold.
    """
    async with database.connection() as conn:
        await _refuse_if_on_hold(conn, name)
        id_ = await store.begin_namespace_deletion(conn, name, api_key_id, requested_by)
    if id_ is None:
        raise NamespaceNotFound(namespace=name)
    erased = 0
    while batch := await _erase(database, id_):
        erased += batch
    log.info("namespace erased", extra={"namespace": name, "rows": erased})
    async with database.connection() as conn:
        return erased, await store.get_namespace_deletion(conn, id_)


async def _refuse_if_on_hold(conn: Connection, name: str) -> None:
    """Raise OnLegalHold if a legal hold keeps the namespace or a part of it."""
    hold_id = await store.find_legal_hold(conn, name)
    if hold_id is not None:
        raise OnLegalHold(hold_id=hold_id)


async def _erase(database: Database, id_: int) -> int:
    """Erase a batch, in a transaction of its own; 0 when the namespace itself is gone."""
    while True:
        try:
            async with database.connection() as conn:
                return await store.erase_namespace_rows(conn, id_, ERASE_BATCH)
        except (psycopg.errors.ForeignKeyViolation, psycopg.errors.RestrictViolation):
            # A call admitted before the deletion, or while its key was cached, has written meanwhile, or a worker has
            # linked a node to an erased row, which is an error of its own from PostgreSQL 18 on.
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

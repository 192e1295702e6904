"""Bring a cached namespace up to date in the background."""

from __future__ import annotations

import asyncio

import numpy as np

from everword.db.pool import Connection, Database
from everword.db.statements import BoundStatement, fetch_optional
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.store import PassagesRow

#: Passages read per statement.
_CHUNK = 2_000
#: Attempts to complete a copy while other clients write.
_ATTEMPTS = 5
_NO_RECORDS = "passages were stored before there were records"


class NotCopied(Exception):
    """A namespace cannot be cached; the message gives the reason."""


async def refresh_copy(
    database: Database, copy: CachedNamespace, is_new: bool, limit_bytes: int
) -> None:
    """Add missing passages to a copy and remove deleted ones. Raises NotCopied.

    No search may use the copy meanwhile.
    """
    behind = copy.is_behind
    for _ in range(_ATTEMPTS):
        if behind:
            await _repair_copy(database, copy)
        if await _add_passages(database, copy, is_new, limit_bytes):
            await load_late_vectors(database, copy)
            if is_new:
                await asyncio.to_thread(copy.index.trim)
            return
        behind = True
    raise NotCopied("too many concurrent writes")


async def load_late_vectors(database: Database, copy: CachedNamespace) -> None:
    """Add vectors that were created since the last check. Searches may use the copy meanwhile."""
    rows = copy.look()
    for start in range(0, len(rows), _CHUNK):
        async with database.transaction(copy.namespace_id) as conn:
            await copy.add_vectors(conn, rows[start : start + _CHUNK])


async def _repair_copy(database: Database, copy: CachedNamespace) -> None:
    """Remove deleted passages, set limits, and add passages that appeared late."""
    async with database.transaction(copy.namespace_id) as conn:
        missing = await copy.compare(conn)
        while len(missing):
            row = await _read(conn, copy.ask_for(missing, _CHUNK))
            found = row.found()
            if found.lacks_records:
                raise NotCopied(_NO_RECORDS)
            copy.add(row, found, row.changes())
            there = np.setdiff1d(missing, found.ids, assume_unique=True)
            missing = there if len(found.ids) else found.ids


async def _add_passages(
    database: Database, copy: CachedNamespace, is_new: bool, limit_bytes: int
) -> bool:
    """Add new passages; return whether the copy is then complete."""
    while True:
        asked = copy.ask(_CHUNK)
        async with database.transaction(copy.namespace_id) as conn:
            row = await _read(conn, asked.question)
        found = await asyncio.to_thread(row.found)
        if found.lacks_records:
            raise NotCopied(_NO_RECORDS)
        changes = row.changes()
        complete = copy.is_complete(asked, row, found, changes)
        if is_new:
            # Sorting words takes a while, so use a thread. Not for an older copy: searches that already have it may add
            # vectors.
            await asyncio.to_thread(copy.add, row, found, changes, unhurried=True)
        else:
            copy.add(row, found, changes)
        copy.mark_complete()
        if complete or len(found.ids) < _CHUNK:
            return complete
        if copy.index.nbytes > limit_bytes:
            raise NotCopied("it exceeds the cache size")


async def _read(conn: Connection, question: BoundStatement[PassagesRow]) -> PassagesRow:
    row = await fetch_optional(conn, question.statement, question.parameters, question.row)
    assert row is not None
    return row

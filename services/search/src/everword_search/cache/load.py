"""Brings a copy up to date, beside the searches."""

from __future__ import annotations

import asyncio

import numpy as np

from everword.db.pool import Connection, Database
from everword.db.statements import BoundStatement, fetch_optional
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.store import Passages, PassagesRow, read_ids

#: Passages that are read at once.
_CHUNK = 2_000
#: How often it is tried to find what is missing, while others write.
_ATTEMPTS = 5
_NO_RECORDS = "passages were stored before there were records"


class NotCopied(Exception):
    """A namespace cannot be kept in memory; the message says why."""


async def bring_up_to_date(
    database: Database, copy: CachedNamespace, is_new: bool, limit_bytes: int
) -> None:
    """Add what a copy lacks, and mark what was taken out. No search may ask for it meanwhile. Raises NotCopied."""
    for _ in range(_ATTEMPTS):
        if await _add_passages(database, copy, is_new, limit_bytes):
            await _add_vectors(database, copy, is_searched=False)
            if is_new:
                await asyncio.to_thread(copy.index.trim)
            # Nobody may search it soon.
            copy.index.rest()
            return
        await _mend(database, copy)
    raise NotCopied("too much is written at the same time")


async def _mend(database: Database, copy: CachedNamespace) -> None:
    """Mark what was taken out, and add what came late."""
    async with database.transaction(copy.namespace_id) as conn:
        ids, row = await read_ids(conn, copy.namespace_id)
        missing = copy.keep(ids, row.dropped)
        while len(missing):
            found = (await _read(conn, copy.ask_for(missing, _CHUNK))).found()
            if found.lacks_records:
                raise NotCopied(_NO_RECORDS)
            copy.add(found)
            there = np.setdiff1d(missing, found.ids, assume_unique=True)
            missing = there if len(found.ids) else found.ids


async def _add_passages(
    database: Database, copy: CachedNamespace, is_new: bool, limit_bytes: int
) -> bool:
    """Add the passages that came; return whether that is all there is."""
    while True:
        asked = copy.ask(_CHUNK)
        async with database.transaction(copy.namespace_id) as conn:
            row = await _read(conn, asked.question)
        found: Passages = await asyncio.to_thread(row.found)
        if found.lacks_records:
            raise NotCopied(_NO_RECORDS)
        complete = copy.is_complete(asked, row, found)
        if is_new:
            # Sorting words takes a while. Searches that have begun may still add vectors to a copy that is not new.
            await asyncio.to_thread(copy.add, found, at_leisure=True)
        else:
            copy.add(found)
        copy.settle()
        copy.index.rest()
        if complete or len(found.ids) < _CHUNK:
            return complete
        if copy.index.nbytes > limit_bytes:
            raise NotCopied("it takes more than there is room for")


async def _read(conn: Connection, question: BoundStatement[PassagesRow]) -> PassagesRow:
    row = await fetch_optional(conn, question.statement, question.parameters, question.row)
    assert row is not None
    return row


async def look_for_vectors(database: Database, copy: CachedNamespace) -> None:
    """Add the vectors that came since they were last looked for. Searches may ask for the copy meanwhile."""
    await _add_vectors(database, copy, is_searched=True)


async def _add_vectors(database: Database, copy: CachedNamespace, *, is_searched: bool) -> None:
    rows = copy.look()
    for start in range(0, len(rows), _CHUNK):
        async with database.transaction(copy.namespace_id) as conn:
            await copy.add_vectors(conn, rows[start : start + _CHUNK])
        if not is_searched:
            copy.index.rest()

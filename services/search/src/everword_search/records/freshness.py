"""Reads that must see an earlier write: immediate on a primary, a wait for replay on a replica."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import ConsistencyToken
from everword_search.records import store

#: Seconds between polls; a replica usually lags less.
_PAUSE_S = 0.01


async def ensure_fresh(
    database: Database, conn: Connection, namespace: NamespaceScope, token: str
) -> None:
    """Wait until the server behind `conn` has replayed the write of `token`; return at once if it is empty.

    Raises InvalidConsistencyToken; the caller's deadline ends the wait. Later statements of the same transaction see
    the write, since each takes its own snapshot.
    """
    if not token:
        return
    covered = ConsistencyToken.read(await database.token_secret(), token, namespace.id)
    # A replica sends no notification of its progress, so it must be polled.
    while not await store.caught_up(conn, namespace.id, covered.lsn):  # noqa: ASYNC110
        await asyncio.sleep(_PAUSE_S)


@asynccontextmanager
async def fresh_transaction(
    database: Database, namespace: NamespaceScope, token: str
) -> AsyncIterator[Connection]:
    """Open a transaction whose statements see the write of `token`.

    Raises the errors of `ensure_fresh`.
    """
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, token)
        yield conn

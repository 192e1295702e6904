"""Reads that must see a write: free on a primary, a wait for replay on a replica."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import ConsistencyToken
from everword_search.records import store

#: A replica is usually behind by less.
_PAUSE_S = 0.01


async def ensure_fresh(
    database: Database, conn: Connection, namespace: NamespaceScope, token: str
) -> None:
    """Return once the server behind `conn` has the write that `token` stands for; at once without a token.

    Raises InvalidConsistencyToken; the caller's deadline ends the wait. Statements of the same transaction then see the
    write, since each takes a snapshot of its own.
    """
    if not token:
        return
    covered = ConsistencyToken.read(await database.token_secret(), token, namespace.id)
    # A replica tells nobody how far it is, so it has to be asked again.
    while not await store.caught_up(conn, covered.lsn):  # noqa: ASYNC110
        await asyncio.sleep(_PAUSE_S)


@asynccontextmanager
async def fresh_transaction(
    database: Database, namespace: NamespaceScope, token: str
) -> AsyncIterator[Connection]:
    """Yield the connection of a transaction in which statements see the write that `token` stands for.

    Raises what `ensure_fresh` raises.
    """
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, token)
        yield conn

"""Settings of a transaction: how Postgres plans its statements, and how long each may take."""

from __future__ import annotations

from everword.db.pool import Connection
from everword.db.statements import execute
from everword_search.records.store import SQL

#: Word similarity from which on two literals are alike.
SIMILARITY = 0.6


async def use_custom_plans(conn: Connection, seconds: float) -> None:
    """Plan each of the statements that follow for its parameters, and let it take so long."""
    parameters = {"similarity": str(SIMILARITY), "statement_timeout": _milliseconds(seconds)}
    await execute(conn, SQL["use_custom_plans"], parameters)


async def use_generic_plans(conn: Connection, seconds: float) -> None:
    """Plan each of the statements that follow once a connection, and let it take so long."""
    parameters = {"statement_timeout": _milliseconds(seconds)}
    await execute(conn, SQL["use_generic_plans"], parameters)


def _milliseconds(seconds: float) -> str:
    """Return a time as Postgres takes it: 0 would be no limit."""
    return f"{max(1, int(seconds * 1000))}ms"

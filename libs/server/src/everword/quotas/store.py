"""The statements on limits as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everword.db.pool import Connection
from everword.db.statements import BoundStatement, fetch_each, load_statements

SQL = load_statements("everword.quotas")


@dataclass(frozen=True)
class QuotaUsageRow:
    """The limits of a namespace, 0 for none, and the counts of all processes."""

    namespace_id: int
    requests_per_minute: int
    messages_per_minute: int
    max_stored_bytes: int
    requests: int
    messages: int
    stored_bytes: int
    #: Seconds until the minute is over.
    ends_in_s: float


async def fold_usage(
    conn: Connection, counted: Mapping[int, tuple[int, int]]
) -> list[QuotaUsageRow]:
    """Add requests and messages, by namespace, and return what there is then."""
    asked = [
        BoundStatement(
            SQL["fold_usage"],
            {"namespace_id": namespace_id, "requests": requests, "messages": messages},
            QuotaUsageRow,
        )
        for namespace_id, (requests, messages) in sorted(counted.items())
    ]
    return [row for rows in await fetch_each(conn, *asked) for row in rows]

"""The statements on limits as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from everword.db.pool import Connection
from everword.db.statements import BoundStatement, fetch_each, load_statements

SQL = load_statements("everword.quotas")


@dataclass(frozen=True)
class LimitsRow:
    """The limits of a namespace, 0 for none."""

    namespace_id: int
    requests_per_minute: int
    messages_per_minute: int
    max_stored_bytes: int
    minute: datetime
    #: Seconds until the minute ends.
    ends_in_s: float

    @property
    def is_limited(self) -> bool:
        return bool(self.requests_per_minute or self.messages_per_minute or self.max_stored_bytes)


@dataclass(frozen=True)
class CountsRow:
    """The counts of all processes for a namespace."""

    namespace_id: int
    requests: int
    messages: int
    stored_bytes: int


@dataclass(frozen=True)
class QuotaUsageRow:
    """The limits of a namespace, and the counts of all processes; 0 without limits."""

    limits: LimitsRow
    counts: CountsRow


async def fold_usage(
    conn: Connection, counted: Mapping[int, tuple[int, int]]
) -> dict[int, QuotaUsageRow]:
    """Add requests and messages, by namespace, and return the sums. Deleted namespaces are left out."""
    asked = [
        BoundStatement(SQL["list_limits"], {"namespace_id": namespace_id}, LimitsRow)
        # In this order, so that processes do not wait for each other in a circle.
        for namespace_id in sorted(counted)
    ]
    limits = {row.namespace_id: row for rows in await fetch_each(conn, *asked) for row in rows}
    added = [
        BoundStatement(SQL["fold_usage"], _parameters(row, *counted[id_]), CountsRow)
        for id_, row in limits.items()
        if row.is_limited
    ]
    counts = {row.namespace_id: row for rows in await fetch_each(conn, *added) for row in rows}
    return {
        id_: QuotaUsageRow(row, counts.get(id_, CountsRow(id_, 0, 0, 0)))
        for id_, row in limits.items()
    }


def _parameters(limits: LimitsRow, requests: int, messages: int) -> dict[str, Any]:
    return {
        "namespace_id": limits.namespace_id,
        "minute": limits.minute,
        "requests": requests,
        "messages": messages,
    }

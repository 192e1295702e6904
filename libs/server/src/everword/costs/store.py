"""The statements of the ledger as typed functions, for async services and for workers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.costs.model import ModelCall, SpentBudget, to_records
from everword.db import blocking
from everword.db.pool import Connection
from everword.db.statements import execute, fetch_optional, load_statements
from everword.db.typed_statements import statement

SQL = load_statements("everword.costs")


async def insert_usage(
    conn: Connection, calls: Sequence[ModelCall], batch_id: UUID | None = None
) -> None:
    """Add calls to the ledger of the transaction's namespace. Keep the transaction short: it holds sums of budgets."""
    await execute(conn, SQL["insert_usage"], {"records": to_records(calls), "batch_id": batch_id})


def insert_usage_blocking(conn: blocking.Connection, calls: Sequence[ModelCall]) -> None:
    parameters = {"records": to_records(calls), "batch_id": None}
    blocking.execute(conn, SQL["insert_usage"], parameters)


@statement(SQL)
def lock_budget_changes(conn: blocking.Connection, namespace_id: int) -> None:
    """Lock the budgets of a namespace until the end of the transaction."""


async def find_spent_budget(conn: Connection, namespace_id: int, model: str) -> SpentBudget | None:
    """Return a spent budget that refuses calls of a model; None if there is none."""
    parameters = _budget_parameters(namespace_id, model, None, None)
    return await fetch_optional(conn, SQL["find_spent_budget"], parameters, SpentBudget)


def find_spent_budget_blocking(
    conn: blocking.Connection,
    namespace_id: int,
    model: str,
    conversation_id: UUID | None,
    now: datetime | None,
) -> SpentBudget | None:
    """As find_spent_budget, at a moment, and on behalf of a conversation, whose agent may have a budget."""
    parameters = _budget_parameters(namespace_id, model, conversation_id, now)
    return blocking.fetch_optional(conn, SQL["find_spent_budget"], parameters, SpentBudget)


@statement(SQL)
def has_price(conn: blocking.Connection, model: str) -> bool:
    """Return whether a price for a model is known."""


def _budget_parameters(
    namespace_id: int, model: str, conversation_id: UUID | None, now: datetime | None
) -> dict[str, Any]:
    return {
        "namespace_id": namespace_id,
        "model": model,
        "conversation_id": conversation_id,
        "now": now,
    }

"""CostService's statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    fetch_value,
    load_statements,
)
from everword.db.typed_statements import statement
from everword.prices.price_list import PriceList
from everword_ingest.costs.model import BudgetKey, BudgetLimits, CostFilter

SQL = load_statements("everword_ingest.costs")
#: More than there are.
ALL = 10_000


@dataclass(frozen=True)
class RecordedRow:
    """The cost of a call; None if unknown."""

    model: str
    cost: Decimal | None
    currency: str


@dataclass(frozen=True)
class BudgetRow:
    """A budget with its limits."""

    id: UUID
    period: int
    scope: int
    scope_value: str
    max_cost: Decimal | None
    currency: str
    max_tokens: int | None
    warn_percent: int


@dataclass(frozen=True)
class BudgetUsageRow(BudgetRow):
    """A budget with its use in a period."""

    cost: Decimal
    tokens: int
    calls: int
    unpriced_calls: int
    warned: bool
    exceeded: bool


@dataclass(frozen=True)
class BudgetEventRow:
    """An event of a budget, with its limits as they were then."""

    id: int
    budget_id: UUID
    period: int
    scope: int
    scope_value: str
    max_cost: Decimal | None
    currency: str
    max_tokens: int | None
    warn_percent: int
    in_period: str
    cost: Decimal
    tokens: int
    exceeded: bool
    occurred_at: datetime
    #: When the month is over; None for a run.
    resets_at: datetime | None


@dataclass(frozen=True)
class SumRow:
    """The sum of a group of calls."""

    day: str
    model: str
    provider: str
    agent: str
    conversation_id: str
    session_key: str
    run_id: str
    purpose: str
    source: int
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    #: By currency.
    costs: dict[str, str]
    unpriced_calls: int

    @property
    def place(self) -> list[str]:
        """Return its sort key among the groups."""
        groups = (self.day, self.model, self.provider, self.agent, self.conversation_id)
        return [*groups, self.session_key, self.run_id, self.purpose, str(self.source)]


@dataclass(frozen=True)
class PriceRow:
    """A price, for a million tokens."""

    model: str
    provider: str
    valid_from: date
    input: Decimal
    cached_input: Decimal | None
    output: Decimal
    currency: str
    shipped: bool


@dataclass(frozen=True)
class _Period:
    period: str


@statement(SQL)
async def lock_budgets(conn: Connection, namespace_id: int) -> None: ...


async def count_conversations(conn: Connection, namespace_id: int, ids: Sequence[UUID]) -> int:
    parameters = {"namespace_id": namespace_id, "ids": list(ids)}
    return int(await fetch_value(conn, SQL["count_conversations"], parameters))


@statement(SQL)
async def list_recorded(
    conn: Connection, namespace_id: int, batch_id: UUID
) -> list[RecordedRow]: ...


@statement(SQL)
async def find_budget(conn: Connection, namespace_id: int, key: BudgetKey) -> BudgetRow | None: ...


async def count_budgets(conn: Connection, namespace_id: int) -> int:
    return int(await fetch_value(conn, SQL["count_budgets"], {"namespace_id": namespace_id}))


@statement(SQL)
async def upsert_budget(
    conn: Connection, namespace_id: int, id: UUID, key: BudgetKey, limits: BudgetLimits
) -> UUID:
    """Set a budget's limits and return its id, which is `id` if it is new."""


async def count_past(
    conn: Connection, namespace_id: int, budget_id: UUID, since: datetime, time_zone: str
) -> None:
    """Recompute the charges of a budget since a moment, and in every period that it was charged in before."""
    parameters: dict[str, Any] = {"namespace_id": namespace_id, "budget_id": budget_id}
    cleared = await fetch_all(conn, SQL["clear_spending"], parameters, _Period)
    periods = [row.period for row in cleared]
    parameters |= {"since": since, "time_zone": time_zone, "periods": periods}
    await execute(conn, SQL["count_past"], parameters)


async def end_embedding_pauses(conn: Connection, namespace_id: int) -> bool:
    """Resume the embedding that waits for a budget; False if none does."""
    parameters = {"namespace_id": namespace_id}
    return await fetch_value(conn, SQL["end_embedding_pauses"], parameters) is not None


async def add_events(
    conn: Connection,
    namespace_id: int,
    budget_id: UUID,
    month: str,
    old: BudgetLimits | None,
    batch_id: UUID,
) -> None:
    """Record which thresholds are reached that were not under the old limits."""
    parameters = {
        "namespace_id": namespace_id,
        "budget_id": budget_id,
        "month": month,
        "old_max_cost": old.max_cost if old else None,
        "old_max_tokens": old.max_tokens if old else None,
        "old_warn_percent": old.warn_percent if old else 100,
    }
    reached = await fetch_value(conn, SQL["find_reached"], parameters)
    if reached is not None:
        # As text: a number of Python could lose digits of an amount.
        events = {"reached": reached, "batch_id": batch_id}
        await execute(conn, SQL["add_events"], events)


async def delete_budget(conn: Connection, namespace_id: int, budget_id: UUID) -> bool:
    parameters = {"namespace_id": namespace_id, "budget_id": budget_id}
    return await fetch_value(conn, SQL["delete_budget"], parameters) is not None


async def list_budget_usage(
    conn: Connection,
    namespace_id: int,
    month: str,
    *,
    budget_id: UUID | None = None,
    agent: str | None = None,
    model: str = "",
    run_id: str = "",
    after: Sequence[str] | None = None,
    limit: int = ALL,
) -> list[BudgetUsageRow]:
    """Return one budget, all of them after a position, or with an agent those that count a call of it."""
    parameters = {
        "namespace_id": namespace_id,
        "month": month,
        "budget_id": budget_id,
        "agent": agent,
        "model": model,
        "run_id": run_id,
        "after": after,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_budget_usage"], parameters, BudgetUsageRow)


async def list_events(conn: Connection, namespace_id: int, batch_id: UUID) -> list[BudgetEventRow]:
    parameters = {"namespace_id": namespace_id, "batch_id": batch_id, "limit": ALL}
    return await fetch_all(conn, SQL["list_events"], parameters, BudgetEventRow)


async def sum_costs(
    conn: Connection,
    namespace_id: int,
    cost_filter: CostFilter,
    span: tuple[datetime, datetime],
    group_by: Sequence[str],
    time_zone: str,
    after: Sequence[str] | None,
    limit: int,
) -> list[SumRow]:
    """Return sums of model calls in a time span by group, in the order of groups, at most `limit`.

    `span` excludes its end; `after` is the last group of the previous page, None for the first page.
    """
    parameters = {
        "namespace_id": namespace_id,
        **vars(cost_filter),
        "start": span[0],
        "end": span[1],
        "group_by": list(group_by),
        "time_zone": time_zone,
        "after": list(after) if after else None,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["sum_costs"], parameters, SumRow)


async def replace_prices(conn: Connection, prices: PriceList) -> None:
    """Put a list in the place of the one that an operator loaded before."""
    await execute(conn, SQL["lock_prices"])
    await execute(conn, SQL["delete_loaded_prices"])
    each = prices.prices
    parameters = {
        "currency": prices.currency,
        "models": [price.model for price in each],
        "providers": [price.provider for price in each],
        "days": [price.valid_from for price in each],
        "inputs": [price.input for price in each],
        "cached_inputs": [price.cached_input for price in each],
        "outputs": [price.output for price in each],
    }
    await execute(conn, SQL["insert_loaded_prices"], parameters)


@statement(SQL)
async def list_prices(
    conn: Connection, after: Sequence[str] | None, limit: int
) -> list[PriceRow]: ...

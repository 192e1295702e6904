"""Rows of CostService to proto."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

from everword.rpc.translate import fill_timestamp, to_timestamp
from everword.v1 import cost_pb2
from everword.v1 import cost_service_pb2 as pb
from everword_ingest.costs.budgets import Standing
from everword_ingest.costs.model import BudgetKey, Limits, Month, Period, Scope
from everword_ingest.costs.store import (
    EventRow,
    PriceRow,
    RecordedRow,
    StandingRow,
    SumRow,
)


def money(amount: Decimal | None, currency: str) -> cost_pb2.Money | None:
    """Return an exact amount; None where there is none."""
    if amount is None or not currency:
        return None
    return cost_pb2.Money(currency_code=currency, amount=format(amount, "f"))


def budget_to_proto(id_: UUID, key: BudgetKey, limits: Limits) -> cost_pb2.Budget:
    scope = None
    if key.scope is Scope.AGENT:
        scope = cost_pb2.BudgetScope(agent=key.scope_value)
    elif key.scope is Scope.MODEL:
        scope = cost_pb2.BudgetScope(model=key.scope_value)
    return cost_pb2.Budget(
        id=str(id_),
        key=cost_pb2.BudgetKey(
            period=cost_pb2.BudgetPeriod.ValueType(key.period),
            scope=scope,
        ),
        max_cost=money(limits.max_cost, limits.currency),
        max_tokens=limits.max_tokens or 0,
        warn_percent=limits.warn_percent,
    )


def recorded_to_proto(row: RecordedRow) -> cost_pb2.RecordedUsage:
    return cost_pb2.RecordedUsage(model=row.model, cost=money(row.cost, row.currency))


def standing_to_proto(standing: Standing) -> list[cost_pb2.BudgetStatus]:
    return [_status(row, standing.month, standing.run_id) for row in standing.budgets]


def _status(row: StandingRow, month: Month, run_id: str) -> cost_pb2.BudgetStatus:
    monthly = row.period == Period.MONTH
    return cost_pb2.BudgetStatus(
        budget=budget_to_proto(row.id, _key(row), _limits(row)),
        period=month.name if monthly else run_id,
        spent=money(row.cost, row.currency),
        tokens=row.tokens,
        calls=row.calls,
        unpriced_calls=row.unpriced_calls,
        warned=row.warned,
        exceeded=row.exceeded,
        reset_time=to_timestamp(month.ends_at) if monthly else None,
    )


def event_to_proto(row: EventRow) -> cost_pb2.BudgetEvent:
    event = cost_pb2.BudgetEvent(
        budget=budget_to_proto(row.budget_id, _key(row), _limits(row)),
        period=row.in_period,
        spent=money(row.cost, row.currency),
        tokens=row.tokens,
        occur_time=to_timestamp(row.occurred_at),
    )
    if not row.exceeded:
        event.warning.warn_percent = row.warn_percent
        return event
    event.exceeded.SetInParent()
    if row.resets_at is not None:
        fill_timestamp(event.exceeded.reset_time, row.resets_at)
    return event


def sum_to_proto(row: SumRow) -> pb.CostGroup:
    return pb.CostGroup(
        day=row.day,
        model=row.model,
        provider=row.provider,
        agent=row.agent,
        conversation_id=row.conversation_id,
        session_key=row.session_key,
        run_id=row.run_id,
        purpose=row.purpose,
        source=pb.CostSource.ValueType(row.source),
        calls=row.calls,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cached_tokens=row.cached_tokens,
        costs=[
            cost_pb2.Money(currency_code=currency, amount=amount)
            for currency, amount in sorted(row.costs.items())
        ],
        unpriced_calls=row.unpriced_calls,
    )


def price_to_proto(row: PriceRow) -> cost_pb2.ModelPrice:
    return cost_pb2.ModelPrice(
        model=row.model,
        provider=row.provider,
        valid_from=row.valid_from.isoformat(),
        input=format(row.input, "f"),
        cached_input="" if row.cached_input is None else format(row.cached_input, "f"),
        output=format(row.output, "f"),
        currency_code=row.currency,
        shipped=row.shipped,
    )


def _key(row: StandingRow | EventRow) -> BudgetKey:
    return BudgetKey(Period(row.period), Scope(row.scope), row.scope_value)


def _limits(row: StandingRow | EventRow) -> Limits:
    return Limits(row.max_cost, row.currency, row.max_tokens, row.warn_percent)

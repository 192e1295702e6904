"""Requests of CostService as values, and its rows as protos."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from everword.costs.model import ModelCall
from everword.domain.errors import InvalidArgument
from everword.domain.times import utc_now
from everword.prices.price_list import Price, PriceList
from everword.rpc.translate import fill_timestamp, optional_time, to_date, to_timestamp
from everword.v1 import cost_pb2
from everword.v1 import cost_service_pb2 as pb
from everword_ingest.costs.budgets import BudgetStatus, limits_of
from everword_ingest.costs.model import (
    DEFAULT_WARN_PERCENT,
    BudgetKey,
    BudgetLimits,
    BudgetPeriod,
    BudgetScope,
    CostFilter,
    CostQuery,
    Month,
    UsageReport,
)
from everword_ingest.costs.store import (
    BudgetEventRow,
    BudgetUsageRow,
    PriceRow,
    RecordedRow,
    SumRow,
)
from everword_ingest.request_ids.claims import hash_body

#: How far clocks may differ, and how far back the ledger goes.
_SKEW, _LEDGER = timedelta(minutes=5), timedelta(days=400)
_GROUPINGS = {
    pb.COST_GROUPING_DAY: "day",
    pb.COST_GROUPING_MODEL: "model",
    pb.COST_GROUPING_PROVIDER: "provider",
    pb.COST_GROUPING_AGENT: "agent",
    pb.COST_GROUPING_CONVERSATION: "conversation",
    pb.COST_GROUPING_RUN: "run",
    pb.COST_GROUPING_PURPOSE: "purpose",
    pb.COST_GROUPING_SOURCE: "source",
}
_OWN = {pb.COST_SOURCE_AGENT: False, pb.COST_SOURCE_EVERWORD: True}


def to_reporting(request: pb.RecordUsageRequest) -> UsageReport:
    """Return the calls that are reported. Raises InvalidArgument."""
    calls = [_to_call(usage, f"usages[{place}]") for place, usage in enumerate(request.usages)]
    return UsageReport(calls, request.request_id, hash_body(request))


def _to_call(usage: cost_pb2.ModelUsage, path: str) -> ModelCall:
    if usage.cached_tokens > usage.input_tokens:
        text = "are a part of input_tokens, and cannot be more"
        raise InvalidArgument(violations=((f"{path}.cached_tokens", text),))
    told = usage.HasField("cost")
    return ModelCall(
        task=usage.purpose,
        model=usage.model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        own=False,
        provider=usage.provider,
        cached_tokens=usage.cached_tokens,
        cost=Decimal(usage.cost.amount) if told else None,
        currency=usage.cost.currency_code if told else "",
        called_at=_to_call_time(usage, path),
        run_id=usage.run_id,
        conversation_id=UUID(usage.conversation_id) if usage.conversation_id else None,
        agent=usage.agent,
        session_key=usage.session_key,
    )


def _to_call_time(usage: cost_pb2.ModelUsage, path: str) -> datetime | None:
    called_at = optional_time(usage, "call_time", f"{path}.")
    now = utc_now()
    if called_at is not None and not now - _LEDGER <= called_at <= now + _SKEW:
        text = f"must be within the last {_LEDGER.days} days"
        raise InvalidArgument(violations=((f"{path}.call_time", text),))
    return called_at


def to_key(key: cost_pb2.BudgetKey) -> BudgetKey:
    period = BudgetPeriod(key.period)
    match key.scope.WhichOneof("of"):
        case "agent":
            return BudgetKey(period, BudgetScope.AGENT, key.scope.agent)
        case "model":
            return BudgetKey(period, BudgetScope.MODEL, key.scope.model)
    return BudgetKey(period)


def to_limits(request: pb.SetBudgetRequest) -> BudgetLimits:
    """Return the limits of a budget. Raises InvalidArgument without a limit."""
    max_cost = Decimal(request.max_cost.amount) if request.HasField("max_cost") else None
    if max_cost is not None and not max_cost:
        text = "must be greater than 0"
        raise InvalidArgument(violations=(("max_cost.amount", text),))
    if max_cost is None and not request.max_tokens:
        raise InvalidArgument(violations=(("max_cost", "or max_tokens is needed, or both"),))
    return BudgetLimits(
        max_cost,
        request.max_cost.currency_code,
        request.max_tokens or None,
        request.warn_percent or DEFAULT_WARN_PERCENT,
    )


def to_query(request: pb.GetCostsRequest) -> CostQuery:
    """Return the question about costs. Raises InvalidArgument."""
    requested = request.filter
    return CostQuery(
        CostFilter(
            start=to_date(requested.start_date, "filter.start_date"),
            end=to_date(requested.end_date, "filter.end_date"),
            models=list(requested.models) or None,
            providers=list(requested.providers) or None,
            agents=list(requested.agents) or None,
            conversation_ids=[UUID(id_) for id_ in requested.conversation_ids] or None,
            run_ids=list(requested.run_ids) or None,
            own=_OWN.get(requested.source),
        ),
        [_GROUPINGS[each] for each in request.group_by],
    )


def to_price_list(request: pb.LoadPricesRequest) -> PriceList:
    """Return a list of prices. Raises InvalidArgument if two have the same model, provider and day."""
    prices: dict[tuple[str, str, date], Price] = {}
    for place, each in enumerate(request.prices):
        path = f"prices[{place}]"
        day = to_date(each.valid_from, f"{path}.valid_from")
        assert day is not None
        key = (each.model, each.provider, day)
        if key in prices:
            text = "there is another price of this model, provider and day"
            raise InvalidArgument(violations=((path, text),))
        cached = Decimal(each.cached_input) if each.cached_input else None
        price = Price(*key, Decimal(each.input), cached, Decimal(each.output))
        prices[key] = price
    today = datetime.now(UTC).date().isoformat()
    return PriceList(today, request.currency_code, tuple(prices.values()))


def money(amount: Decimal | None, currency: str) -> cost_pb2.Money | None:
    """Return an exact amount; None without an amount."""
    if amount is None or not currency:
        return None
    return cost_pb2.Money(currency_code=currency, amount=format(amount, "f"))


def budget_to_proto(id_: UUID, key: BudgetKey, limits: BudgetLimits) -> cost_pb2.Budget:
    scope = None
    if key.scope is BudgetScope.AGENT:
        scope = cost_pb2.BudgetScope(agent=key.scope_value)
    elif key.scope is BudgetScope.MODEL:
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


def budget_status_to_proto(standing: BudgetStatus) -> list[cost_pb2.BudgetStatus]:
    return [_status(row, standing.month, standing.run_id) for row in standing.budgets]


def _status(row: BudgetUsageRow, month: Month, run_id: str) -> cost_pb2.BudgetStatus:
    monthly = row.period == BudgetPeriod.MONTH
    return cost_pb2.BudgetStatus(
        budget=budget_to_proto(row.id, _key(row), limits_of(row)),
        period=month.name if monthly else run_id,
        spent=money(row.cost, row.currency),
        tokens=row.tokens,
        calls=row.calls,
        unpriced_calls=row.unpriced_calls,
        warned=row.warned,
        exceeded=row.exceeded,
        reset_time=to_timestamp(month.ends_at) if monthly else None,
    )


def event_to_proto(row: BudgetEventRow) -> cost_pb2.BudgetEvent:
    event = cost_pb2.BudgetEvent(
        budget=budget_to_proto(row.budget_id, _key(row), limits_of(row)),
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


def _key(row: BudgetUsageRow | BudgetEventRow) -> BudgetKey:
    return BudgetKey(BudgetPeriod(row.period), BudgetScope(row.scope), row.scope_value)

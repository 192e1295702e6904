"""Costs of models by day and model."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

from starlette.responses import Response

from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import cost_service_pb2 as pb
from everword_web.console.cost_chart import Measure, draw
from everword_web.console.visits import Visit

PERIODS = (7, 30, 90)
#: Groups on one page; there is one for each day and model.
_PAGE_SIZE = 1000


async def costs(visit: Visit) -> Response:
    """Show sums by day and model, and how budgets stand."""
    values = visit.values
    days = values.number("days", 30, 366) or 30
    # Days are those of the namespace's time zone, which may be ahead.
    end = (datetime.now(UTC) + timedelta(hours=14)).date()
    start = end - timedelta(days=days)
    request = pb.GetCostsRequest(
        filter=pb.CostFilter(
            start_date=start.isoformat(), end_date=(end + timedelta(days=1)).isoformat()
        ),
        group_by=[pb.COST_GROUPING_DAY, pb.COST_GROUPING_MODEL],
        page_size=_PAGE_SIZE,
    )
    found, budgets = await asyncio.gather(
        list_all(partial(visit.call, visit.client.cost_service.GetCosts), request),
        list_all(
            partial(visit.call, visit.client.cost_service.ListBudgets),
            pb.ListBudgetsRequest(page_size=PAGE_SIZE),
        ),
    )
    groups = found.groups
    last = max((group.day for group in groups), default="")
    if last < end.isoformat():
        end -= timedelta(days=1)
        start = max(start, end - timedelta(days=days - 1))
    currencies = sorted({money.currency_code for group in groups for money in group.costs})
    measures = [*currencies, "tokens", "calls"]
    chosen = values.text("measure") if values.text("measure") in measures else measures[0]
    unit = chosen if chosen in currencies else ""
    return visit.page(
        "costs.html",
        groups=sorted(groups, key=lambda group: (group.day, group.model), reverse=True),
        models=_by_model(groups),
        chart=draw(groups, start, end, _measure(chosen), unit),
        budgets=budgets.budgets,
        measures=measures,
        chosen=chosen,
        days=days,
        periods=PERIODS,
    )


def _measure(chosen: str) -> Measure:
    if chosen == "tokens":
        return lambda group: Decimal(group.input_tokens + group.output_tokens)
    if chosen == "calls":
        return lambda group: Decimal(group.calls)
    return lambda group: sum(
        (Decimal(money.amount) for money in group.costs if money.currency_code == chosen), Decimal()
    )


def _by_model(groups: list[pb.CostGroup]) -> list[pb.CostGroup]:
    """Return the sums of each model, those with most tokens first."""
    sums: dict[str, pb.CostGroup] = {}
    for group in groups:
        total = sums.setdefault(group.model, pb.CostGroup(model=group.model))
        total.calls += group.calls
        total.input_tokens += group.input_tokens
        total.output_tokens += group.output_tokens
        total.cached_tokens += group.cached_tokens
        total.unpriced_calls += group.unpriced_calls
        for money in group.costs:
            same = [each for each in total.costs if each.currency_code == money.currency_code]
            retained = (
                same[0] if same else total.costs.add(currency_code=money.currency_code, amount="0")
            )
            retained.amount = f"{Decimal(retained.amount) + Decimal(money.amount):f}"
    return sorted(sums.values(), key=lambda group: -(group.input_tokens + group.output_tokens))

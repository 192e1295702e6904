"""`everword budget`: limits of what models may cost."""

from __future__ import annotations

import click

from everword.cli.costs.plot import money
from everword.cli.output import json_option, line, print_json, print_table, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import cost_pb2
from everword.v1 import cost_service_pb2 as pb

_PERIODS = {"run": cost_pb2.BUDGET_PERIOD_RUN, "month": cost_pb2.BUDGET_PERIOD_MONTH}


@click.group()
def budget() -> None:
    """Set, list and delete budgets for models."""


@budget.command("set")
@click.argument("period", type=click.Choice([*_PERIODS]))
@click.option("--cost", default="", help="Limit the cost, such as 12.50.")
@click.option("--currency", default="USD", show_default=True, help="Set the currency of --cost.")
@click.option("--tokens", type=click.IntRange(1), help="Limit the number of tokens.")
@click.option(
    "--warn",
    type=click.IntRange(1, 100),
    default=80,
    show_default=True,
    help="Warn at this percentage of the limit.",
)
@click.option("--agent", default="", help="Include only calls of this agent.")
@click.option("--model", default="", help="Include only calls of this model.")
@json_option
@remote
async def set_(
    client: Client,
    period: str,
    cost: str,
    currency: str,
    tokens: int | None,
    warn: int,
    agent: str,
    model: str,
    as_json: bool,
) -> None:
    """Set the budget of each run or each month."""
    if agent and model:
        raise click.UsageError("give --agent or --model, not both")
    scope = cost_pb2.BudgetScope(agent=agent) if agent else None
    if model:
        scope = cost_pb2.BudgetScope(model=model)
    request = pb.SetBudgetRequest(
        key=cost_pb2.BudgetKey(period=_PERIODS[period], scope=scope),
        max_cost=cost_pb2.Money(currency_code=currency, amount=cost) if cost else None,
        max_tokens=tokens or 0,
        warn_percent=warn,
    )
    response = await client.cost_service.SetBudget(request)
    if as_json:
        print_json(response)
        return
    line(f"{response.budget.id}: {_limits(response.budget)} a {period}")
    for event in response.events:
        line(f"{event.WhichOneof('event')} already: {event.period}")


@budget.command("list")
@json_option
@remote
async def list_(client: Client, as_json: bool) -> None:
    """List budgets, and how much of them is spent this month."""
    request = pb.ListBudgetsRequest(page_size=PAGE_SIZE)
    response = await list_all(client.cost_service.ListBudgets, request)
    if as_json:
        print_json(response)
        return
    rows = [
        (
            status.budget.id,
            "month" if status.HasField("reset_time") else "run",
            _scope(status.budget),
            _limits(status.budget),
            money([status.spent]) if status.HasField("spent") else "",
            f"{status.tokens:,}",
            status.unpriced_calls or "",
            _state(status),
            when(status.reset_time),
        )
        for status in response.budgets
    ]
    columns = ("budget", "of each", "counts", "limit", "spent", "tokens", "unpriced", "", "until")
    print_table(columns, rows, right="spent tokens unpriced")


@budget.command()
@click.argument("budget_id")
@remote
async def delete(client: Client, budget_id: str) -> None:
    """Delete the budget BUDGET_ID."""
    await client.cost_service.DeleteBudget(pb.DeleteBudgetRequest(budget_id=budget_id))
    line(f"{budget_id}: deleted")


def _limits(limited: cost_pb2.Budget) -> str:
    limits = [money([limited.max_cost])] if limited.HasField("max_cost") else []
    if limited.max_tokens:
        limits.append(f"{limited.max_tokens:,} tokens")
    return " or ".join(limits)


def _scope(limited: cost_pb2.Budget) -> str:
    match limited.key.scope.WhichOneof("of"):
        case "agent":
            return f"agent {limited.key.scope.agent}"
        case "model":
            return f"model {limited.key.scope.model}"
    return "everything"


def _state(status: cost_pb2.BudgetStatus) -> str:
    if status.exceeded:
        return "exceeded"
    return "warning" if status.warned else ""

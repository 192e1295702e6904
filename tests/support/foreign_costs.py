"""Calls of CostService with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everword.v1 import cost_service_pb2 as pb
from support.costs import Accounts, budget, spent
from support.foreign import NO_CONVERSATION, NO_PAGE, Call, Theirs
from support.stack import Stack

NO_BUDGET = "BUDGET_NOT_FOUND"


@dataclass(frozen=True)
class TheirCosts:
    """Ids and tokens of a namespace's budgets and costs."""

    budget_id: str
    page_token: str


def costs_request(**fields: Any) -> pb.GetCostsRequest:
    return pb.GetCostsRequest(page_size=1, group_by=[pb.COST_GROUPING_MODEL], **fields)


async def spend(stack: Stack, namespace: str) -> TheirCosts:
    """Create a budget, and exhaust it."""
    accounts = Accounts(stack, namespace)
    limited = await accounts.limit(budget(tokens=10))
    await accounts.record(spent("their-model", 10, run_id="r"), spent("their-other-model", 10))
    page = await stack.costs.GetCosts(costs_request(), metadata=accounts.metadata)
    return TheirCosts(limited.budget.id, page.next_page_token)


def _of_conversation(theirs: Theirs) -> pb.CostFilter:
    return pb.CostFilter(conversation_ids=[theirs.conversation_id])


#: Like `REFUSED` and `EMPTY` of the test.
COSTS_REFUSED: dict[str, tuple[str, Call]] = {
    "CheckBudget budget_id": (
        NO_BUDGET,
        lambda s, t: s.costs.CheckBudget(pb.CheckBudgetRequest(budget_id=t.budget_id)),
    ),
    "RecordUsage usages.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.costs.RecordUsage(
            pb.RecordUsageRequest(usages=[spent(conversation_id=t.conversation_id)])
        ),
    ),
    "DeleteBudget budget_id": (
        NO_BUDGET,
        lambda s, t: s.costs.DeleteBudget(pb.DeleteBudgetRequest(budget_id=t.budget_id)),
    ),
    "GetCosts page_token": (
        NO_PAGE,
        lambda s, t: s.costs.GetCosts(costs_request(page_token=t.page_tokens["GetCosts"])),
    ),
}
COSTS_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "ListBudgets": (
        lambda s, t: s.costs.ListBudgets(pb.ListBudgetsRequest()),
        lambda answer: not answer.budgets,
    ),
    "CheckBudget": (
        lambda s, t: s.costs.CheckBudget(pb.CheckBudgetRequest(run_id="r")),
        lambda answer: answer.allowed and not answer.budgets,
    ),
    "GetCosts": (
        lambda s, t: s.costs.GetCosts(costs_request()),
        lambda answer: not answer.groups,
    ),
    "GetCosts filter.conversation_ids": (
        lambda s, t: s.costs.GetCosts(costs_request(filter=_of_conversation(t))),
        lambda answer: not answer.groups,
    ),
}

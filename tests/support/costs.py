"""Helpers for calls of CostService in a namespace of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from everword.rpc.translate import to_timestamp
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import cost_pb2
from everword.v1 import cost_service_pb2 as pb
from support.callers import within
from support.stack import Stack

MONTH, RUN = cost_pb2.BUDGET_PERIOD_MONTH, cost_pb2.BUDGET_PERIOD_RUN


def usd(amount: str) -> cost_pb2.Money:
    return cost_pb2.Money(currency_code="USD", amount=amount)


def spent(
    model: str = "gpt-5-mini",
    read: int = 0,
    written: int = 0,
    *,
    cost: str = "",
    at: datetime | None = None,
    **fields: Any,
) -> cost_pb2.ModelUsage:
    """Return the usage record of a model call."""
    return cost_pb2.ModelUsage(
        model=model,
        input_tokens=read,
        output_tokens=written,
        cost=usd(cost) if cost else None,
        call_time=to_timestamp(at),
        **fields,
    )


def budget(
    period: cost_pb2.BudgetPeriod.ValueType = MONTH,
    cost: str = "",
    tokens: int = 0,
    warn_percent: int = 0,
    **scope: str,
) -> pb.SetBudgetRequest:
    return pb.SetBudgetRequest(
        key=cost_pb2.BudgetKey(period=period, scope=cost_pb2.BudgetScope(**scope)),
        max_cost=usd(cost) if cost else None,
        max_tokens=tokens,
        warn_percent=warn_percent,
    )


def kinds(events: Sequence[cost_pb2.BudgetEvent]) -> list[str | None]:
    """Return the kinds of the events: `warning`, `exceeded`."""
    return [event.WhichOneof("event") for event in events]


@dataclass(frozen=True)
class Accounts:
    """The costs of a namespace."""

    stack: Stack
    namespace: str

    @classmethod
    async def opened(cls, stack: Stack, namespace: str, time_zone: str = "UTC") -> Accounts:
        settings = admin.NamespaceSettings(time_zone=time_zone, day_cutoff_minutes=0)
        request = admin.CreateNamespaceRequest(
            namespace=admin.Namespace(name=namespace, settings=settings)
        )
        await stack.admin.CreateNamespace(request)
        return cls(stack, namespace)

    @property
    def metadata(self) -> Any:
        return within(self.namespace)

    async def record(
        self, *usages: cost_pb2.ModelUsage, request_id: str = ""
    ) -> pb.RecordUsageResponse:
        request = pb.RecordUsageRequest(usages=usages, request_id=request_id)
        return await self.stack.costs.RecordUsage(request, metadata=self.metadata)

    async def limit(self, request: pb.SetBudgetRequest) -> pb.SetBudgetResponse:
        return await self.stack.costs.SetBudget(request, metadata=self.metadata)

    async def standing(self, budget_id: str, run_id: str = "") -> cost_pb2.BudgetStatus:
        request = pb.CheckBudgetRequest(budget_id=budget_id, run_id=run_id)
        response = await self.stack.costs.CheckBudget(request, metadata=self.metadata)
        [status] = response.budgets
        return status

    async def groups(
        self, *group_by: pb.CostGrouping.ValueType, **fields: Any
    ) -> list[pb.CostGroup]:
        """Return all groups, through all pages."""
        request = pb.GetCostsRequest(group_by=group_by, **fields)
        found: list[pb.CostGroup] = []
        while True:
            page = await self.stack.costs.GetCosts(request, metadata=self.metadata)
            found += page.groups
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

    async def total(self, **fields: Any) -> Decimal:
        [group] = await self.groups(**fields)
        [cost] = group.costs
        return Decimal(cost.amount)

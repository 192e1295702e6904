"""CostService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import cost_service_pb2 as pb
from everword.v1.cost_service_pb2_grpc import CostServiceServicer
from everword_ingest.costs.budgets import (
    check_budget,
    delete_budget,
    get_budget,
    list_budgets,
    set_budget,
)
from everword_ingest.costs.get_costs import get_costs
from everword_ingest.costs.prices import list_prices, load_prices
from everword_ingest.costs.record_usage import record_usage
from everword_ingest.costs.translate import (
    budget_status_to_proto,
    budget_to_proto,
    event_to_proto,
    price_to_proto,
    recorded_to_proto,
    sum_to_proto,
    to_key,
    to_limits,
    to_price_list,
    to_query,
    to_reporting,
)


class CostServicer(CostServiceServicer):
    """Costs of models, and their budgets."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def RecordUsage(
        self, request: pb.RecordUsageRequest, context: Context
    ) -> pb.RecordUsageResponse:
        recorded = await record_usage(self._database, current_namespace(), to_reporting(request))
        return pb.RecordUsageResponse(
            usages=map(recorded_to_proto, recorded.calls),
            events=map(event_to_proto, recorded.events),
            replayed=recorded.replayed,
        )

    async def CheckBudget(
        self, request: pb.CheckBudgetRequest, context: Context
    ) -> pb.CheckBudgetResponse:
        if request.budget_id:
            locked = await get_budget(
                self._database, current_namespace(), UUID(request.budget_id), request.run_id
            )
        else:
            locked = await check_budget(
                self._database, current_namespace(), request.agent, request.model, request.run_id
            )
        allowed = not any(row.exceeded for row in locked.budgets)
        return pb.CheckBudgetResponse(allowed=allowed, budgets=budget_status_to_proto(locked))

    async def SetBudget(
        self, request: pb.SetBudgetRequest, context: Context
    ) -> pb.SetBudgetResponse:
        key, limits = to_key(request.key), to_limits(request)
        id_, events = await set_budget(self._database, current_namespace(), key, limits, self._wake)
        return pb.SetBudgetResponse(
            budget=budget_to_proto(id_, key, limits), events=map(event_to_proto, events)
        )

    async def ListBudgets(
        self, request: pb.ListBudgetsRequest, context: Context
    ) -> pb.ListBudgetsResponse:
        locked, token = await list_budgets(self._database, current_namespace(), to_page(request))
        return pb.ListBudgetsResponse(budgets=budget_status_to_proto(locked), next_page_token=token)

    async def DeleteBudget(
        self, request: pb.DeleteBudgetRequest, context: Context
    ) -> pb.DeleteBudgetResponse:
        await delete_budget(
            self._database, current_namespace(), UUID(request.budget_id), self._wake
        )
        return pb.DeleteBudgetResponse()

    async def GetCosts(self, request: pb.GetCostsRequest, context: Context) -> pb.GetCostsResponse:
        found, token = await get_costs(
            self._database, current_namespace(), to_query(request), to_page(request)
        )
        return pb.GetCostsResponse(groups=map(sum_to_proto, found), next_page_token=token)

    async def LoadPrices(
        self, request: pb.LoadPricesRequest, context: Context
    ) -> pb.LoadPricesResponse:
        count = await load_prices(self._database, to_price_list(request))
        return pb.LoadPricesResponse(prices=count)

    async def ListPrices(
        self, request: pb.ListPricesRequest, context: Context
    ) -> pb.ListPricesResponse:
        found, token = await list_prices(self._database, to_page(request))
        return pb.ListPricesResponse(prices=map(price_to_proto, found), next_page_token=token)

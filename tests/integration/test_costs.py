"""Costs of model calls: recorded once, priced exactly, grouped, and limited by budgets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import grpc
import pytest
import pytest_asyncio

from everword.client.pages import list_all, pages
from everword.v1 import cost_pb2
from everword.v1 import cost_service_pb2 as pb
from everword.v1 import ingest_service_pb2 as ingest
from support.calls import message, target
from support.costs import RUN, Accounts, budget, kinds, spent, usd
from support.databases import cloned
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

WRITERS = 32


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has a namespace of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


async def test_call_cost_is_computed_exactly_from_model_prices(stack: Stack) -> None:
    accounts = await Accounts.opened(stack, "exact")
    recorded = await accounts.record(
        # 100 tokens at 0.25 dollars per million, 10 of them cached at 0.025, and 7 at 2.
        spent("gpt-5-mini", 100, 7, cached_tokens=10, provider="openai"),
        spent("gpt-5-mini", 1),
        spent("house-model", 5_000, 100),
        spent("house-model", 5_000, 100, cost="0.00004"),
    )
    costs = [each.cost.amount if each.HasField("cost") else None for each in recorded.usages]
    # Unknown costs are not 0, and neither are small ones.
    assert costs == ["0.00003675", "0.00000025", None, "0.00004"]
    assert not recorded.events
    [total] = await accounts.groups()
    assert [(cost.currency_code, cost.amount) for cost in total.costs] == [("USD", "0.000077")]
    assert (total.calls, total.unpriced_calls) == (4, 1)
    assert (total.input_tokens, total.output_tokens, total.cached_tokens) == (10_101, 207, 10)


async def test_ten_thousand_tiny_calls_sum_exactly(stack: Stack) -> None:
    accounts = await Accounts.opened(stack, "tiny")
    limit = await accounts.limit(budget(cost="1000", tokens=10**9))
    batch = [spent(cost="0.0000000000000003", read=1)] * 1_000
    for _ in range(10):
        await accounts.record(*batch)
    assert await accounts.total() == Decimal("0.000000000003")
    standing = await accounts.standing(limit.budget.id)
    assert (standing.spent.amount, standing.tokens) == ("0.000000000003", 10_000)
    assert standing.calls == 10_000


async def test_repeated_usage_report_counts_once_and_returns_the_same_response(
    stack: Stack,
) -> None:
    accounts = await Accounts.opened(stack, "once")
    await accounts.limit(budget(cost="1"))
    first = await accounts.record(spent(cost="0.9"), request_id="call-1")
    again = await accounts.record(spent(cost="0.9"), request_id="call-1")
    assert (first.replayed, again.replayed) == (False, True)
    assert kinds(first.events) == ["warning"]
    assert (again.usages, again.events) == (first.usages, first.events)
    assert await accounts.total() == Decimal("0.9")
    conflict = await refused(accounts.record(spent(cost="0.8"), request_id="call-1"))
    assert conflict.reason == "REQUEST_ID_CONFLICT"


async def test_costs_are_grouped_by_session_run_model_and_day(stack: Stack) -> None:
    accounts = await Accounts.opened(stack, "groups")
    written = await stack.ingest.AppendMessages(
        ingest.AppendMessagesRequest(
            conversation=target("s-1", agent="opus"), messages=[message("Hello.")]
        ),
        metadata=accounts.metadata,
    )
    yesterday = datetime.now(UTC) - timedelta(days=1)
    await accounts.record(
        spent("gpt-5-mini", 1_000_000, conversation_id=written.conversation_id, run_id="r-1"),
        spent("gpt-5", 1_000_000, agent="iris", session_key="elsewhere", run_id="r-2"),
        spent("gpt-5", 0, 100_000, agent="iris", run_id="r-2", purpose="plan", at=yesterday),
    )
    by_model = await accounts.groups(pb.COST_GROUPING_MODEL)
    assert [(each.model, each.costs[0].amount) for each in by_model] == [
        ("gpt-5", "2.25"),
        ("gpt-5-mini", "0.25"),
    ]
    by_run = await accounts.groups(pb.COST_GROUPING_RUN, page_size=1)
    assert [(each.run_id, each.calls) for each in by_run] == [("r-1", 1), ("r-2", 2)]
    by_session = await accounts.groups(pb.COST_GROUPING_CONVERSATION, pb.COST_GROUPING_AGENT)
    assert [(each.session_key, each.agent, each.costs[0].amount) for each in by_session] == [
        ("", "iris", "1"),
        ("elsewhere", "iris", "1.25"),
        ("s-1", "opus", "0.25"),
    ]
    assert by_session[2].conversation_id == written.conversation_id
    by_day = await accounts.groups(pb.COST_GROUPING_DAY)
    assert [each.costs[0].amount for each in by_day] == ["1", "1.5"]
    assert by_day[0].day == f"{yesterday:%Y-%m-%d}"
    planned = await accounts.groups(pb.COST_GROUPING_PURPOSE, filter=pb.CostFilter(run_ids=["r-2"]))
    assert [each.purpose for each in planned] == ["", "plan"]
    since = pb.CostFilter(start_date=f"{datetime.now(UTC):%Y-%m-%d}")
    assert await accounts.total(filter=since) == Decimal("1.5")


async def test_cost_groups_with_long_names_are_paged(stack: Stack) -> None:
    accounts = await Accounts.opened(stack, "long-names")
    names = {"provider": 128, "session_key": 512, "run_id": 256}
    fields: dict[str, Any] = {name: "🐘" * length for name, length in names.items()}
    await accounts.record(*(spent(f"{n}" + "🐘" * 255, 1, **fields) for n in range(3)))
    paged = await accounts.groups(
        pb.COST_GROUPING_MODEL,
        pb.COST_GROUPING_PROVIDER,
        pb.COST_GROUPING_CONVERSATION,
        pb.COST_GROUPING_RUN,
        page_size=1,
    )
    assert [each.model[0] for each in paged] == ["0", "1", "2"]


async def test_budget_month_follows_the_time_zone_of_the_namespace(
    stack: Stack,
) -> None:
    accounts = await Accounts.opened(stack, "auckland", "Pacific/Auckland")
    limit = await accounts.limit(budget(cost="10"))
    zone = ZoneInfo("Pacific/Auckland")
    begin = datetime.now(zone).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    # In UTC, both moments are in the previous month.
    await accounts.record(
        spent(cost="1", at=begin), spent(cost="2", at=begin - timedelta(seconds=1))
    )
    this = await accounts.standing(limit.budget.id)
    assert (this.period, this.spent.amount) == (f"{begin:%Y-%m}", "1")
    assert this.reset_time.ToDatetime(UTC).astimezone(zone).day == 1
    before = begin - timedelta(days=1)
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT period, cost FROM budget_spending WHERE budget_id = %s ORDER BY period",
            [limit.budget.id],
        ).fetchall()
    assert rows == [(f"{before:%Y-%m}", 2), (f"{begin:%Y-%m}", 1)]
    late = await accounts.record(spent(cost="8", at=before))
    assert [event.period for event in late.events] == [f"{before:%Y-%m}"] * 2
    # Changed to another currency and back: no month's spending is lost.
    euros = budget()
    euros.max_cost.CopyFrom(cost_pb2.Money(currency_code="EUR", amount="1"))
    await accounts.limit(euros)
    await accounts.limit(budget(cost="11"))
    told = await accounts.record(spent(cost="1", at=before))
    assert kinds(told.events) == ["exceeded"]
    assert not (await accounts.standing(limit.budget.id)).warned


async def test_budget_per_run_limits_each_run_separately(stack: Stack) -> None:
    accounts = await Accounts.opened(stack, "runs")
    limit = await accounts.limit(budget(RUN, cost="0.01"))
    first = await accounts.record(spent(cost="0.008", run_id="a"), spent(cost="0.004", run_id="b"))
    assert [(each.period, kinds([each])) for each in first.events] == [("a", ["warning"])]
    second = await accounts.record(spent(cost="0.002", run_id="a"), spent(cost="5"))
    assert [(each.period, kinds([each])) for each in second.events] == [("a", ["exceeded"])]
    standing = await accounts.standing(limit.budget.id, "b")
    assert (standing.spent.amount, standing.exceeded) == ("0.004", False)
    for run, allowed in (("a", False), ("b", True), ("c", True), ("", True)):
        request = pb.CheckBudgetRequest(run_id=run)
        checked = await stack.costs.CheckBudget(request, metadata=accounts.metadata)
        assert checked.allowed is allowed
        assert len(checked.budgets) == bool(run)


async def test_budgets_are_scoped_to_agents_and_models_and_limit_cost_or_tokens(
    stack: Stack,
) -> None:
    accounts = await Accounts.opened(stack, "scopes")
    agent = (await accounts.limit(budget(tokens=100, warn_percent=50, agent="iris"))).budget
    model = (await accounts.limit(budget(cost="1", model="gpt-5"))).budget
    told = await accounts.record(
        spent("gpt-5", 40, 20, agent="iris"), spent("gpt-5", 60, agent="opus")
    )
    assert [(each.budget.id, kinds([each])) for each in told.events] == [(agent.id, ["warning"])]
    assert told.events[0].budget == agent
    assert not told.events[0].HasField("spent")
    assert (await accounts.standing(agent.id)).tokens == 60
    assert (await accounts.standing(model.id)).spent.amount == "0.000325"
    # Calls without a known price are reported in addition to the spent amount.
    await accounts.limit(budget(cost="1", tokens=10**6))
    await accounts.record(spent("house-model", 1_000))
    listed = await stack.costs.ListBudgets(pb.ListBudgetsRequest(), metadata=accounts.metadata)
    assert [(each.unpriced_calls, each.calls) for each in listed.budgets] == [
        (1, 3),
        (0, 1),
        (0, 2),
    ]
    await stack.costs.DeleteBudget(
        pb.DeleteBudgetRequest(budget_id=agent.id), metadata=accounts.metadata
    )
    gone = await refused(accounts.standing(agent.id))
    assert (gone.code, gone.reason) == (grpc.StatusCode.NOT_FOUND, "BUDGET_NOT_FOUND")


async def test_list_budgets_returns_pages_in_order_of_period_and_scope(stack: Stack) -> None:
    accounts = await Accounts.opened(stack, "pages")
    scopes: list[dict[str, Any]] = [{}, {"agent": "🐘" * 128}, {"model": "b"}, {"model": "a"}]
    for scope in scopes:
        await accounts.limit(budget(RUN, tokens=10, **scope))
        await accounts.limit(budget(tokens=10, **scope))

    async def call(request: pb.ListBudgetsRequest) -> pb.ListBudgetsResponse:
        page: pb.ListBudgetsResponse = await stack.costs.ListBudgets(
            request, metadata=accounts.metadata
        )
        return page

    sizes = [len(page.budgets) async for page in pages(call, pb.ListBudgetsRequest(page_size=3))]
    assert sizes == [3, 3, 2]
    paged = await list_all(call, pb.ListBudgetsRequest(page_size=3))
    assert paged == await call(pb.ListBudgetsRequest())
    keys = [each.budget.key for each in paged.budgets]
    assert [key.period == RUN for key in keys] == [False] * 4 + [True] * 4
    assert [key.scope.model for key in keys[:4]] == ["", "", "a", "b"]


async def test_new_budget_counts_existing_costs_and_a_raised_budget_warns_again(
    stack: Stack,
) -> None:
    accounts = await Accounts.opened(stack, "raised")
    await accounts.record(spent(cost="9"))
    low = await accounts.limit(budget(cost="10"))
    assert kinds(low.events) == ["warning"]
    assert kinds((await accounts.limit(budget(cost="9"))).events) == ["exceeded"]
    assert not (await accounts.limit(budget(cost="20"))).events
    assert kinds((await accounts.record(spent(cost="7"))).events) == ["warning"]
    assert (await accounts.standing(low.budget.id)).spent.amount == "16"
    # With another currency, only calls with costs in it count.
    euros = budget(tokens=10**9)
    euros.max_cost.CopyFrom(cost_pb2.Money(currency_code="EUR", amount="1"))
    assert not (await accounts.limit(euros)).events
    standing = await accounts.standing(low.budget.id)
    assert (standing.spent.amount, standing.unpriced_calls) == ("0", 2)


async def test_budgets_are_exact_under_concurrent_writers_and_report_each_threshold_once(
    stack: Stack,
) -> None:
    accounts = await Accounts.opened(stack, "crowd")
    month = (await accounts.limit(budget(cost="1"))).budget
    run = (await accounts.limit(budget(RUN, tokens=1_000))).budget
    calls = 10

    async def write(number: int) -> list[cost_pb2.BudgetEvent]:
        told: list[cost_pb2.BudgetEvent] = []
        for _ in range(calls):
            usage = spent("gpt-5", 10, cost="0.01", run_id=f"run-{number % 2}")
            told += (await accounts.record(usage)).events
        return told

    told = [
        event
        for each in await asyncio.gather(*(write(number) for number in range(WRITERS)))
        for event in each
    ]
    total = WRITERS * calls
    assert (await accounts.standing(month.id)).spent.amount == "3.2"
    assert (await accounts.standing(run.id, "run-1")).tokens == total // 2 * 10
    assert await accounts.total() == Decimal(total) / 100
    found = sorted((each.budget.id, each.period, kinds([each])[0] or "") for each in told)
    periods = [(run.id, "run-0"), (run.id, "run-1"), (month.id, f"{datetime.now(UTC):%Y-%m}")]
    assert found == sorted((*each, kind) for each in periods for kind in ("exceeded", "warning"))
    amounts = {kinds([each])[0]: each.spent.amount for each in told if each.budget.id == month.id}
    assert amounts == {"warning": "0.8", "exceeded": "1"}


async def test_invalid_usages_and_budgets_are_refused(stack: Stack) -> None:
    accounts = await Accounts.opened(stack, "refused")
    day = timedelta(days=1)
    for usage, field in (
        (spent(read=1, cached_tokens=2), "usages[0].cached_tokens"),
        (spent(at=datetime.now(UTC) + day), "usages[0].call_time"),
        (spent(at=datetime.now(UTC) - 401 * day), "usages[0].call_time"),
        (spent(cost="-1"), "usages[0].cost.amount"),
        (spent(cost="1e3"), "usages[0].cost.amount"),
        (spent(""), "usages[0].model"),
    ):
        assert (await refused(accounts.record(usage))).fields == {field}
    nobody = spent(conversation_id="01900000-0000-7000-8000-000000000000")
    assert (await refused(accounts.record(nobody))).reason == "CONVERSATION_NOT_FOUND"
    assert (await refused(accounts.limit(budget(cost="0.000")))).fields == {"max_cost.amount"}
    assert (await refused(accounts.limit(budget()))).fields == {"max_cost"}
    backwards = pb.CostFilter(start_date="2026-02-02", end_date="2026-02-02")
    assert (await refused(accounts.groups(filter=backwards))).fields == {"filter.end_date"}
    assert (await refused(accounts.groups(filter=pb.CostFilter(start_date="2026-02-30")))).fields
    first = pb.CostFilter(end_date="0001-01-01")
    assert (await refused(accounts.groups(filter=first))).fields == {"filter.end_date"}
    ancient = pb.CostFilter(start_date="0001-01-01", end_date="9999-12-31")
    assert await accounts.groups(filter=ancient) == []


async def test_new_prices_apply_from_their_date_and_keep_recorded_costs(stack: Stack) -> None:
    accounts = await Accounts.opened(stack, "prices")
    today = datetime.now(UTC)
    before = await accounts.record(spent("house-model", 10**6), spent("gpt-5", 10**6))
    assert [each.cost.amount for each in before.usages] == ["", "1.25"]

    async def load(*prices: cost_pb2.ModelPrice) -> int:
        request = pb.LoadPricesRequest(currency_code="USD", prices=prices)
        return (await stack.costs.LoadPrices(request)).prices

    def price(model: str, day: datetime, amount: str, **fields: Any) -> cost_pb2.ModelPrice:
        valid_from = f"{day:%Y-%m-%d}"
        return cost_pb2.ModelPrice(
            model=model, valid_from=valid_from, input=amount, output="0", **fields
        )

    week = timedelta(days=7)
    assert (
        await load(
            price("house-model", today - 2 * week, "3"),
            price("house-model", today - week, "2"),
            price("house-model", today - week, "1", provider="cheap"),
            price("gpt-5", today - week, "9"),
        )
        == 4
    )
    after = await accounts.record(
        *(spent("house-model", 10**6, at=today - age * week) for age in (0, 1.5, 3)),
        spent("house-model", 10**6, provider="cheap"),
        spent("gpt-5", 10**6),
    )
    assert [each.cost.amount for each in after.usages] == ["2", "3", "", "1", "9"]
    every = pb.ListPricesRequest(page_size=200)
    listed = (await list_all(stack.costs.ListPrices, every)).prices
    assert [each.input for each in listed if each.model == "gpt-5"] == ["9", "1.25"]
    assert [each.shipped for each in listed[:5]] == [False] * 4 + [True]
    paged = await list_all(stack.costs.ListPrices, pb.ListPricesRequest(page_size=3))
    assert list(paged.prices) == list(listed)
    twice = [price("m", today, "1"), price("m", today, "2")]
    assert (await refused(load(*twice))).fields == {"prices[1]"}
    assert await load() == 0
    assert await accounts.total() == Decimal("1.25") + 15
    assert usd("1.25") == (await accounts.record(spent("gpt-5", 10**6))).usages[0].cost

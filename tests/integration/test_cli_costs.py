"""`everword costs`, `budget` and `prices`, for people and for programs, as docs/limits.md shows them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from everword.client import Client, ClientSettings
from everword.prices.price_list import parse_prices
from everword.v1.cost_pb2 import ModelUsage
from everword.v1.cost_service_pb2 import RecordUsageRequest
from support.callers import make_namespaces
from support.command_line import everword
from support.costs import Accounts, spent
from support.stack import Stack

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    return str(re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0])


async def test_costs_prints_bars_by_model_and_groups_by_day(stack: Stack) -> None:
    accounts = Accounts(stack, "default")
    await accounts.record(
        spent("gpt-5", 1_000_000), spent("gpt-5-mini", 1_000_000), spent("house-model", 7)
    )
    shown = await everword(stack, "costs", "--by", "model")
    assert shown.status == 0, shown.errors
    rows = {line.split()[0]: line for line in shown.output.splitlines() if line.strip()}
    assert "1.25 USD" in rows["gpt-5"]
    bars = [rows[model].count("█") for model in ("gpt-5", "gpt-5-mini", "house-model")]
    assert bars == [30, 6, 0]
    [day] = (await everword(stack, "costs", "--json")).json()["groups"]
    assert (day["calls"], day["unpriced_calls"]) == (3, 1)
    assert day["costs"] == [{"currency_code": "USD", "amount": "1.5"}]
    # Without known prices, bars show tokens.
    unpriced = await everword(stack, "costs", "--by", "model", "--model", "house-model")
    assert unpriced.output.count("█") == 30
    await make_namespaces(stack, "acme")
    await Accounts(stack, "acme").record(spent("gpt-5", 1))
    everywhere = (await everword(stack, "costs", "--all", "--by", "run", "--json")).json()
    assert {name: len(each["groups"]) for name, each in everywhere.items()} == {
        "acme": 1,
        "default": 1,
    }
    drawn = await everword(stack, "costs", "--all")
    assert "acme" in drawn.output


async def test_commands_and_code_of_limits_page_work_as_documented(
    stack: Stack, tmp_path: Path
) -> None:
    commands = [shlex.split(line)[1:] for line in block("").splitlines()]
    for command in commands:
        finished = await everword(stack, *command)
        assert finished.status == 0, finished.errors
    names: dict[str, object] = {
        "Client": Client,
        "ModelUsage": ModelUsage,
        "RecordUsageRequest": RecordUsageRequest,
    }
    exec(block("python"), names)
    settings = ClientSettings(ingest_address=stack.addresses["ingest"])
    async with Client.connect(settings) as client:
        report = names["report"]
        assert await report(client, "run-1")  # type: ignore[operator]
        await Accounts(stack, "default").record(spent(cost="0.5", run_id="run-2"))
    listed = (await everword(stack, "budget", "list", "--json")).json()["budgets"]
    assert [each["budget"]["key"]["period"] for each in listed] == [
        "BUDGET_PERIOD_MONTH",
        "BUDGET_PERIOD_MONTH",
        "BUDGET_PERIOD_RUN",
    ]
    assert listed[1]["tokens"] == 1500
    gone = await everword(stack, "budget", "delete", listed[1]["budget"]["id"])
    assert gone.status == 0, gone.errors
    assert "opus" not in (await everword(stack, "budget", "list")).output
    file = tmp_path / "prices.toml"
    file.write_text(block("toml"))
    assert [each.model for each in parse_prices(block("toml")).prices] == [
        "house-model",
        "house-model-large",
    ]
    loaded = await everword(stack, "prices", "load", str(file))
    assert (loaded.status, loaded.output) == (0, "2 prices in EUR\n")
    prices = await everword(stack, "prices", "list")
    assert "house-model-large" in prices.output
    assert max(len(row.rstrip()) for row in prices.output.splitlines()) <= 80
    assert any("gpt-5-mini" in row and "0.025" in row for row in prices.output.splitlines())
    file.write_text(block("toml").replace('"0.20"', '"a little"'))
    wrong = await everword(stack, "prices", "load", str(file))
    assert wrong.status == 1
    assert "entry 1: input" in wrong.errors

"""Output of `everword doctor` and `everword stats --all` for healthy and broken deployments."""

from __future__ import annotations

import re

import pytest

from everword.embedded.ports import free_ports
from support.callers import make_namespaces, within
from support.calls import append
from support.command_line import everword
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack


async def test_doctor_reports_no_problem_for_healthy_stack(stack: Stack) -> None:
    finished = await everword(stack, "doctor", "--write", "--json")
    findings = {each["check"]: each for each in finished.json()}
    assert list(findings) == [
        "ingest",
        "search",
        "compactor",
        "key",
        "vectors",
        "background",
        "write",
    ]
    assert all(each["ok"] and not each["advice"] for each in findings.values())
    assert "stored and found within" in findings["write"]["found"]
    shown = await everword(stack, "doctor")
    assert shown.status == 0
    assert "WRONG" not in shown.output


async def test_doctor_names_unavailable_service_with_advice(stack: Stack) -> None:
    away = f"127.0.0.1:{free_ports(1)[0]}"
    finished = await everword(stack, "doctor", EVERWORD_SEARCH_ADDRESS=away)
    assert finished.status == 1
    assert f"{away}: UNAVAILABLE" in finished.output
    assert "EVERWORD_SEARCH_ADDRESS" in finished.output
    assert "Traceback" not in finished.errors


async def test_doctor_reports_missing_api_key(database: DatabaseUnderTest) -> None:
    async with running_stack(
        database, admin_key="an-operators-key-for-tests", embedder=False
    ) as stack:
        nobody = await everword(stack, "doctor")
        assert nobody.status == 1
        assert "set EVERWORD_API_KEY" in nobody.output


async def test_doctor_reports_jobs_without_a_worker(stack: Stack) -> None:
    assert (await everword(stack, "doctor", "--write")).status == 0
    with stack.database.connect() as conn:
        conn.execute(
            "UPDATE jobs SET not_before = now() - interval '1 hour', updated_at = now() - interval '1 hour'"
        )
    waiting = await everword(stack, "doctor")
    assert waiting.status == 1
    assert "start a worker" in waiting.output


async def test_stats_all_prints_a_row_for_each_namespace(stack: Stack) -> None:
    await make_namespaces(stack, "acme", "beta")
    await append(stack, "One message.", metadata=within("acme"))
    rows = (await everword(stack, "stats", "--all", "--json")).json()
    counted = {row["namespace"]: row["corpus"]["messages"] for row in rows}
    assert counted == {"acme": 1, "beta": 0, "default": 0}
    shown = await everword(stack, "stats", "--all")
    assert any(row.startswith("acme") and "12 B" in row for row in shown.output.splitlines())


async def test_doctor_shows_the_local_model_and_its_measured_forms(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database) as stack:
        finished = await everword(stack, "doctor", "--json")
        [found] = [each["found"] for each in finished.json() if each["check"] == "local model"]
    form = r"(floats|bytes): [\d.]+ ms a question, \d+ passages/s a thread"
    assert re.fullmatch(rf"weights as {form} \({form}\)", found)


async def test_doctor_checks_no_nodes_on_one_server_and_reports_a_wrong_owner_url(
    stack: Stack, pytestconfig: pytest.Config
) -> None:
    if pytestconfig.getoption("--citus"):
        pytest.skip("the database is on several servers")
    url = stack.database.admin_url
    finished = await everword(stack, "doctor", "--json", EVERWORD_ADMIN_DATABASE_URL=url)
    assert [each["check"] for each in finished.json()][:2] == ["ingest", "search"]
    away = f"postgresql://nobody@127.0.0.1:{free_ports(1)[0]}/everword"
    finished = await everword(stack, "doctor", EVERWORD_ADMIN_DATABASE_URL=away)
    assert finished.status == 1
    assert "correct EVERWORD_ADMIN_DATABASE_URL" in finished.output

"""`everword retention`, for people and for programs."""

from __future__ import annotations

from support.calls import append
from support.command_line import everword
from support.erasure_checks import rows_with
from support.retention import age_rows
from support.stack import Stack


async def test_retention_policy_is_set_previewed_and_run(stack: Stack) -> None:
    await append(stack, "The zqcli9k sings.", "The owl too.")
    age_rows(stack, 31)
    shown = await everword(stack, "retention", "show")
    assert shown.status == 0, shown.errors
    assert shown.output.count("forever") == 7
    tried = ("retention", "preview", "--kind", "messages", "--kept", "30d", "--json")
    [would_go] = (await everword(stack, *tried)).json()["removed"]
    assert (would_go["kind"], would_go["count"]) == ("RETENTION_KIND_MESSAGES", 2)
    assert len(would_go["sample_ids"]) == 2
    assert (await everword(stack, "retention", "preview")).output.strip() == "none"
    refused = await everword(stack, "retention", "set", "messages", "soon")
    assert refused.status != 0
    said = await everword(stack, "retention", "set", "messages", "30d")
    assert said.output.strip() == "messages: kept 30d"
    assert (await everword(stack, "retention", "show")).output.count("forever") == 6
    declined = await everword(stack, "retention", "run", given="n\n")
    assert declined.status != 0
    assert rows_with(stack, "zqcli9k")
    ran = await everword(stack, "retention", "run", given="y\n")
    assert ran.status == 0, ran.errors
    assert "removed: 2 messages" in ran.output
    assert rows_with(stack, "zqcli9k") == {}
    listed = (await everword(stack, "retention", "runs", "--json")).json()["runs"]
    assert [each["state"] for each in listed] == ["RETENTION_STATE_DONE"]
    assert "by hand" in (await everword(stack, "retention", "runs")).output
    await everword(stack, "retention", "set", "messages", "forever")
    assert (await everword(stack, "retention", "show")).output.count("forever") == 7

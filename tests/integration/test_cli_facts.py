"""`everword facts`, for people and for programs, as docs/facts.md shows it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from everword.facts.attributes import KNOWN
from support.command_line import everword
from support.stack import Stack
from support.stated_facts import tell

PAGE = (Path(__file__).parents[2] / "docs" / "facts.md").read_text(encoding="utf-8")


async def test_commands_of_facts_page_work_as_documented(stack: Stack) -> None:
    [block] = re.findall(r"```\n(everword facts .*?)```", PAGE, re.DOTALL)
    *commands, why = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    outputs = [(await everword(stack, *command)).output for command in commands]
    _, moved, now, then, timeline = outputs
    assert all(city in moved for city in ("Berlin", "Lisbon"))
    assert "Lisbon" in now and "Berlin" not in now  # noqa: PT018
    assert "Berlin" in then and "Lisbon" not in then  # noqa: PT018
    assert timeline.count("Berlin") == 2 and "(not" in timeline  # noqa: PT018
    profile = (await everword(stack, *commands[2], "--json")).json()
    [fact] = profile["facts"]
    assert isinstance(fact["confidence"], float)
    explained = (await everword(stack, *why[:-1], fact["id"])).output
    assert "residence of emi: Lisbon" in explained
    assert "remembered" in explained


async def test_facts_are_corrected_and_closed(stack: Stack) -> None:
    told = (await everword(stack, "facts", "remember", "emi", "pet", "A dog", "--json")).json()
    fact_id = told["fact"]["id"]
    correction = json.dumps({"fact_id": fact_id, "value": "A cat", "actor": "FACT_ACTOR_PERSON"})
    assert (await everword(stack, "call", "Fact/CorrectFact", correction)).status == 0
    listed = (await everword(stack, "facts", "list", "emi", "--json")).json()
    [cat] = listed["facts"]
    closed = json.dumps({"fact_id": cat["id"], "actor": "FACT_ACTOR_PERSON"})
    assert (await everword(stack, "call", "Fact/CloseFact", closed)).status == 0
    assert (await everword(stack, "facts", "profile", "emi")).output == "none\n"
    everything = await everword(stack, "facts", "list", "--all")
    assert "A dog" in everything.output
    for given in (["Lisbon"], ["Rome", "--guess"]):
        await everword(stack, "facts", "remember", "emi", "home_city", *given)
    disputes = (await everword(stack, "facts", "disputes", "emi")).output
    assert re.search(r"residence of emi +Lisbon \(1\) +Rome \(1\) .* open", disputes)
    wrong = await everword(stack, "facts", "why", "nothing")
    assert wrong.status != 0
    assert "fact_id" in wrong.errors


def test_facts_page_lists_every_attribute() -> None:
    for row in re.findall(r"^\| (\w+) \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE):
        category, one, several = row
        for cell, is_several in ((one, False), (several, True)):
            own = {each.name for each in KNOWN.values() if each.category == category}
            named = set(re.findall(r"`(\w+)`", cell))
            assert named == {name for name in own if KNOWN[name].several == is_several} or not own
    assert all(f"`{name}`" in PAGE for name in KNOWN)


async def test_search_and_context_print_end_date_of_superseded_values(stack: Stack) -> None:
    await tell(stack, "I live in Berlin, where I live well.", "Berlin", 0, subject="emi")
    await tell(stack, "We moved to Lisbon!", "Lisbon", 100, subject="emi")
    found = (await everword(stack, "search", "Where do I live?", "--kind", "message")).output
    assert found.index("We moved to Lisbon!") < found.index("I live in Berlin")
    assert re.search(r"residence until 2024-04-10 \d\d:\d\d; now Lisbon", found)
    told = (await everword(stack, "context", "Where do I live?")).output
    assert re.search(r"\[1; residence until 2024-04-10\]\d+% user: I live in Berlin", told)
    assert (
        "Berlin"
        in (await everword(stack, "context", "Where do I live?", "--subject", "emi")).output
    )
    nobody = await everword(stack, "context", "Where do I live?", "--subject", "ben")
    assert "Berlin" not in nobody.output
    then = (await everword(stack, "context", "Where do I live?", "--valid-at", "2024-02-01")).output
    assert "until" not in then
    search = ("search", "residence", "--kind", "fact", "--include-superseded")
    assert "Residence of emi: Berlin" in (await everword(stack, *search)).output
    before = (*search[:4], "--valid-at", "2024-02-01")
    assert "Residence of emi: Berlin" in (await everword(stack, *before)).output
    assert "Residence of emi: Berlin" not in (await everword(stack, *search[:4])).output

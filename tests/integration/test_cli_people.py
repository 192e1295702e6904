"""`everword people`, `events` and `strategies`, for people and for programs."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from everword.people.model import EventMention, PersonMention
from everword.people.strategies import ask
from everword.people.writer import meet_people, take_events
from support.command_line import everword
from support.learned_facts import DEFAULT_NAMESPACE, SUBJECT, day, learning_transaction, say
from support.stack import Stack


async def review(stack: Stack, request: dict[str, str]) -> Any:
    """Send a ruling as a person, as the documentation shows it."""
    text = json.dumps({**request, "actor": "FACT_ACTOR_PERSON"})
    return (await everword(stack, "call", "Fact/ReviewLearned", text)).json()


async def test_learned_people_events_and_strategies_are_shown_and_reviewed(stack: Stack) -> None:
    told = [await say(stack, f"Rui came along, {number}.", 380 + number) for number in range(3)]
    async with learning_transaction(stack.database) as conn:
        met = await meet_people(
            conn, DEFAULT_NAMESPACE, SUBJECT, [PersonMention("Rui", s) for s in told]
        )
        surgery = EventMention("Knee surgery", "health", told[0], day(420), None, 0.9, 60)
        taken = await take_events(conn, DEFAULT_NAMESPACE, SUBJECT, [surgery])
        assert await ask(conn, DEFAULT_NAMESPACE, SUBJECT, day(400) + timedelta(hours=1)) == 1
    [person_id], [event_id] = map(str, met), map(str, taken)
    why = await everword(stack, "people", "why", person_id)
    assert "Rui came along, 2." in why.output
    assert "met" in why.output
    ruling = {"person_id": person_id, "ruling": "LEARNED_RULING_WRONG", "reason": "a dog"}
    assert (await review(stack, ruling))["person"]["name"] == "Rui"
    assert (await everword(stack, "people")).output == "none\n"
    elsewhere = await everword(stack, "people", EVERWORD_NAMESPACE="nowhere")
    assert "NAMESPACE_NOT_FOUND" in elsewhere.errors
    [question] = (await everword(stack, "strategies", "list", "--json")).json()["strategies"]
    assert question["question"] == "Who is Rui to emi?"
    assert "Who is Rui" in (await everword(stack, "strategies", "why", question["id"])).output
    assert (await everword(stack, "people", "model", "emi")).output
    end = {"strategy_id": question["id"], "state": "STRATEGY_STATE_DROPPED"}
    assert (await review(stack, end))["strategy"]["state"] == "STRATEGY_STATE_DROPPED"
    assert (await everword(stack, "strategies")).output == "none\n"
    assert "Knee surgery" in (await everword(stack, "events", "list", "--subject", "emi")).output
    await review(stack, {"event_id": event_id, "ruling": "LEARNED_RULING_OVER"})
    assert "ended" in (await everword(stack, "events", "list", "--all")).output

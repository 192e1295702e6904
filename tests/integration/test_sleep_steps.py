"""A failed step of Sleep loses only its own results; new values leave others valid, and replaced ones end."""

from __future__ import annotations

from typing import Any

from everword.facts.model import FactState
from support.learning import say, told
from support.scripted_replies import answer
from support.sleep_calls import (
    Mind,
    Records,
    classifying,
    fact_line,
    observing,
    rows,
    sleep,
    stored,
)
from support.stack import Stack

#: Steps besides the observing one, in the order of their failures.
SIDE_STEPS = ("behaviour", "classify", "people", "events", "topics")
CLOSING_STEPS = ("confirm", "edges", "user-model", "trajectory")


async def test_failed_side_steps_are_listed_and_the_session_is_stored(stack: Stack) -> None:
    for text in ("I like tea.", "My wife Anna sings.", "I play chess.", "I ski."):
        await say(stack, text, 0)
    broken = answer("that is no JSON")
    mind = Mind({f"sleep-{step}": lambda _: broken for step in (*SIDE_STEPS, *CLOSING_STEPS)})
    mind.answers["sleep-observe"] = observing(
        ("I like tea", "like", "tea"), ("Anna", "wife", "Anna"), ("chess", "hobby", "chess")
    )
    assert "failed" not in (await sleep(stack, mind)).values()
    assert await told(stack) == {"like": {"tea"}, "partner": {"anna"}, "hobby": {"chess"}}
    [(state, error)] = rows(stack, "SELECT state, error FROM sleep_sessions")
    assert state == 2
    failed = [each.partition(":")[0] for each in error.split("; ")]
    # There were no facts yet to compare with.
    assert failed == [each for each in (*SIDE_STEPS, *CLOSING_STEPS) if each != "classify"]
    assert "people: BadAnswer: the answer is not JSON" in error
    # Now there are: without the model, equal values are support, and the rest is new.
    await say(stack, "I like tea. I collect stamps.", 5, session="later")
    mind.answers["sleep-observe"] = observing(
        ("I like tea", "like", "tea"), ("stamps", "hobby", "stamps")
    )
    await sleep(stack, mind)
    assert stored(stack)["like", "tea"][1] == 2
    assert (await told(stack))["hobby"] == {"chess", "stamps"}
    assert (
        "classify: BadAnswer"
        in rows(stack, "SELECT error FROM sleep_sessions ORDER BY started_at DESC LIMIT 1")[0][0]
    )


async def test_unreadable_window_costs_only_its_own_facts(stack: Stack) -> None:
    for text in ("I like tea a lot.", "That is poison.", "I play chess."):
        await say(stack, text, 0)

    def observe(records: Records) -> Any:
        if "poison" in records["messages"][0]["text"]:
            return answer("that is no JSON")
        return observing(("tea", "like", "tea"), ("chess", "hobby", "chess"))(records)

    await sleep(stack, Mind({"sleep-observe": observe}))
    assert await told(stack) == {"like": {"tea"}, "hobby": {"chess"}}
    assert rows(stack, "SELECT state, error FROM sleep_sessions") == [
        (2, "observe: BadAnswer: the answer is not JSON")
    ]


async def test_new_value_adds_and_replacing_or_former_value_ends(stack: Stack) -> None:
    await say(stack, "I take metformin. I'm allergic to nuts. I play chess. I live in Bonn.", 0)
    first = {
        "facts": [
            fact_line("medication", "metformin"),
            fact_line("food allergy", "nuts"),
            fact_line("sport", "chess"),
            fact_line("residence", "Bonn"),
            fact_line("employer", "Acme Corp"),
        ]
    }
    mind = Mind({"sleep-observe": first})
    await sleep(stack, mind)
    await say(stack, "They moved me to insulin. I'm allergic to eggs, too. I row. I left Bonn.", 2)
    mind.answers["sleep-observe"] = {
        "facts": [
            fact_line("medication", "insulin"),
            fact_line("food allergy", "eggs"),
            fact_line("sport", "row"),
            fact_line("former residence", "Bonn"),
        ]
    }
    mind.answers["sleep-classify"] = classifying(
        ("insulin", "replace", "metformin"), ("eggs", "new", "")
    )
    await sleep(stack, mind)
    assert await told(stack) == {
        "medication": {"insulin"},
        "allergy": {"nuts", "eggs"},
        # The model did not classify it.
        "sport": {"chess", "row"},
    }
    assert stored(stack)["medication", "metformin"][0] is FactState.CLOSED
    assert stored(stack)["residence", "Bonn"][0] is FactState.CLOSED

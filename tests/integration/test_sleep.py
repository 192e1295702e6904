"""Sleep learns from finished sessions with a model: facts with the words that say so, one transaction a session."""

from __future__ import annotations

from typing import Any

from everword.v1 import fact_pb2
from everword.v1 import profile_service_pb2 as profile
from everword.v1.memory_pb2 import ROLE_ASSISTANT, ROLE_TOOL
from support.calls import rows
from support.learning import history_of, say, told
from support.sleeping import Mind, observing, sleep
from support.stack import Stack

TEA = ("I take my tea with oat milk", "tea", "oat milk")


def classifying(*relations: tuple[str, str, str]) -> Any:
    """Return a model that says what an observed value is to a known one: (observed, relation, known)."""

    def classify(records: dict[str, list[dict[str, Any]]]) -> Any:
        known = {fact["value"]: fact["fact"] for fact in records["facts"]}
        return {
            "relations": [
                {"o": each["o"], "relation": relation, "fact": known.get(value, 0)}
                for each in records["observations"]
                for observed, relation, value in relations
                if each.get("value") == observed or each["text"] == observed
            ]
        }

    return classify


async def explained(stack: Stack, fact_id: str) -> profile.ExplainFactResponse:
    return await stack.profile.ExplainFact(profile.ExplainFactRequest(fact_id=fact_id))


async def test_facts_come_from_what_people_say_with_the_exact_words(stack: Stack) -> None:
    long = "My brother plays the cello. " + "Well. " * 200
    said = await say(stack, f"{long}I take my tea with oat milk, always.", 0)
    mind = Mind({"sleep-observe": observing(TEA, topics=("tea",))})
    assert set((await sleep(stack, mind)).values()) <= {"done", "pending"}
    assert (await told(stack))["tea"] == {"oat milk"}
    [fact] = await history_of(stack, "tea")
    assert fact.state == fact_pb2.FACT_STATE_SUSPECTED
    [piece] = (await explained(stack, fact.id)).evidence
    assert (piece.message_id, piece.quote) == (said, "I take my tea with oat milk")
    shown = dict(mind.asked)["sleep-observe"]["messages"]
    assert [message["text"] for message in shown] == [f"{long}I take my tea with oat milk, always."]
    assert rows(stack, "SELECT state, topics FROM sleep_sessions") == [(2, ["tea"])]
    assert rows(stack, "SELECT kind, subject, quotes FROM session_observations") == [
        (1, "emi", ["I take my tea with oat milk"])
    ]


async def test_tools_and_programs_are_left_out_and_mixed_sessions_are_not(stack: Stack) -> None:
    await say(stack, "ls -la", 0, role=ROLE_TOOL, session="tools")
    await say(stack, "I take my tea with oat milk.", 0, session="beats", automated=True)
    await say(stack, "Reading the file.", 0, role=ROLE_ASSISTANT, session="mixed")
    await say(stack, "rows: 3", 0, role=ROLE_TOOL, session="mixed")
    await say(stack, "I take my tea with oat milk.", 0, session="mixed")
    mind = Mind({"sleep-observe": observing(TEA)})
    await stack_sleeps_all(stack, mind)
    assert mind.tasks().count("sleep-observe") == 1
    [shown] = [records["messages"] for task, records in mind.asked if task == "sleep-observe"]
    assert [message["who"] for message in shown] == ["agent", "user"]
    states = rows(stack, "SELECT state, count(*)::int FROM sleep_sessions GROUP BY 1 ORDER BY 1")
    assert states == [(2, 1), (3, 2)]


async def stack_sleeps_all(stack: Stack, mind: Mind | None) -> dict[int, str | None]:
    """Let every conversation sleep, also those in which nobody made it due."""
    with stack.database.connect() as conn:
        conn.execute(
            """INSERT INTO jobs (namespace_id, task, subject)
               SELECT namespace_id, 'sleep', id::text FROM conversations ON CONFLICT DO NOTHING"""
        )
    return await sleep(stack, mind)

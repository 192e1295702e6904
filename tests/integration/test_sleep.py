"""Sleep learns facts with quoted evidence from finished sessions with a model, in one transaction per session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everword.facts.model import FactState
from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1.memory_pb2 import ROLE_ASSISTANT, ROLE_TOOL
from support.learning import history_of, learn, say, told
from support.scripted_replies import cut_off
from support.sleep_calls import (
    Mind,
    Records,
    classifying,
    fact_line,
    observing,
    rows,
    sleep,
    stored,
    wake_all,
)
from support.stack import Stack

TEA = ("I take my tea with oat milk", "tea", "oat milk")


async def explained(stack: Stack, fact_id: str) -> profile.ExplainFactResponse:
    return await stack.fact_queries.ExplainFact(profile.ExplainFactRequest(fact_id=fact_id))


async def test_sleep_stores_facts_with_verbatim_quotes_from_messages(stack: Stack) -> None:
    long = "My brother plays the cello. " + "Well. " * 200
    said = await say(stack, f"{long}I take my tea with oat milk, always.", 0)
    topics = {"topics": ["tea"]}
    mind = Mind({"sleep-observe": observing(TEA), "sleep-topics": topics})
    assert set((await sleep(stack, mind)).values()) <= {"done", "pending"}
    assert (await told(stack))["tea"] == {"oat milk"}
    [fact] = await history_of(stack, "tea")
    assert fact.state == fact_pb2.FACT_STATE_SUSPECTED
    [piece] = (await explained(stack, fact.id)).evidence
    assert (piece.message_id, piece.quote) == (said, "I take my tea with oat milk, always.")
    shown = dict(mind.asked)["sleep-observe"]["messages"]
    assert [message["text"] for message in shown] == [f"{long}I take my tea with oat milk, always."]
    assert rows(stack, "SELECT state, topics FROM sleep_sessions") == [(2, ["tea"])]
    assert rows(stack, "SELECT subject, quotes FROM session_observations") == [
        ("emi", ["I take my tea with oat milk, always."])
    ]


async def test_sleep_skips_tool_and_automated_sessions_but_reads_mixed_ones(stack: Stack) -> None:
    await say(stack, "ls -la", 0, role=ROLE_TOOL, session="tools")
    await say(stack, "I take my tea with oat milk.", 0, session="beats", automated=True)
    await say(stack, "Reading the file.", 0, role=ROLE_ASSISTANT, session="mixed")
    await say(stack, "rows: 3", 0, role=ROLE_TOOL, session="mixed")
    await say(stack, "I take my tea with oat milk.", 0, session="mixed")
    mind = Mind({"sleep-observe": observing(TEA)})
    wake_all(stack)
    await sleep(stack, mind)
    assert mind.tasks().count("sleep-observe") == 1
    [shown] = [records["messages"] for task, records in mind.asked if task == "sleep-observe"]
    assert [message["before"] for message in shown] == ["Reading the file."]
    states = rows(stack, "SELECT state, count(*)::int FROM sleep_sessions GROUP BY 1 ORDER BY 1")
    assert states == [(2, 1), (3, 2)]


def _terse(answers: Callable[[Records], Any], most: int) -> Callable[[Records], Any]:
    """Return a model whose answer is truncated if it would have more than `most` items."""

    def reply(records: Records) -> Any:
        said = answers(records)
        return cut_off() if any(len(each) > most for each in said.values()) else said

    return reply


def _first(answers: Callable[[Records], Any]) -> Callable[[Records], Any]:
    """Return a model that gives as many facts as the schema allows, and no more."""
    return lambda records: {"facts": answers(records)["facts"][:10]}


async def test_session_with_more_facts_than_one_answer_fits_is_read_in_parts(
    stack: Stack,
) -> None:
    names = ["Ada", "Bea", "Cleo", "Dora", "Elsa", "Fay", "Gina", "Hedy", "Ines", "Jana", "Kim"]
    said = [f"My cousin {name} keeps {number} bees." for number, name in enumerate(names, 20)]
    long = " ".join(
        f"Shelf {number} holds jars of the year {1990 + number}." for number in range(30)
    )
    for words in [*said, long]:
        await say(stack, words, 0)
    jars = [
        (f"Shelf {number} holds", f"shelf_{number}", str(1990 + number)) for number in range(30)
    ]
    bees = [
        (words, f"cousin_{name}".lower(), name) for words, name in zip(said, names, strict=True)
    ]

    def people(records: Records) -> Any:
        return {
            "people": [
                {
                    "o": each["o"],
                    "name": name,
                    "relation": "cousin",
                    "status": "",
                    "words": "My cousin",
                }
                for each in records["observations"]
                for name in names
                if name in each["text"]
            ]
        }

    mind = Mind(
        {
            "sleep-observe": _first(observing(*bees, *jars)),
            "sleep-people": _terse(people, 3),
        }
    )
    assert set((await sleep(stack, mind)).values()) <= {"done", "pending"}
    known = await told(stack)
    assert {known[attribute] == {value.lower()} for _, attribute, value in (*bees, *jars)} == {True}
    assert rows(stack, "SELECT state FROM sleep_sessions") == [(2,)]
    assert rows(stack, "SELECT count(*)::int FROM people") == [(len(names),)]


async def test_lines_without_support_are_dropped_and_third_parties_have_facts(
    stack: Stack,
) -> None:
    await say(stack, "My sister Mia is 34 and paints. I run on Sundays.", 0)
    await say(stack, "You should try 40 km! Is Sunday your only day?", 0, role=ROLE_ASSISTANT)
    await say(stack, "Yes, and maybe I'll try rowing. Do you like rugby?", 0)
    lines = [
        fact_line("sport", "running on Sundays"),
        fact_line("distance", "42 km"),
        fact_line("employer", "Acme Corp"),
        fact_line("goal", "40 km"),
        fact_line("like", "rugby"),
        fact_line("sister", "Mia"),
        fact_line("age", "34", "Mia"),
        fact_line("only day", "Sunday", "emi"),
        fact_line("hobby", "rowing"),
        "Mia | paints | 34 | Sundays",
    ]
    mind = Mind({"sleep-observe": {"facts": lines}})
    await sleep(stack, mind)
    assert await told(stack) == {
        "sport": {"running on sundays"},
        "sibling": {"mia"},
        "mia_age": {"34"},
        "only_day": {"sunday"},
        "hobby": {"rowing"},
    }
    # Each user message is read once, with the message before it, and no line is asked for again.
    shown = [records for task, records in mind.asked if task == "sleep-observe"]
    assert [["before" in each for each in records["messages"]] for records in shown] == [
        [False],
        [True],
    ]
    query = "SELECT about, value, hypothesis, quotes[1] FROM session_observations ORDER BY id"
    assert rows(stack, query) == [
        ("", "running on Sundays", False, "I run on Sundays."),
        ("", "Mia", False, "My sister Mia is 34 and paints."),
        ("Mia", "34", False, "My sister Mia is 34 and paints."),
        ("", "Sunday", True, "Yes, and maybe I'll try rowing."),
        ("", "rowing", True, "Yes, and maybe I'll try rowing."),
    ]


SAID_FIRST = (
    ("I live in Berlin", "residence", "Berlin"),
    ("my boss is Tove", "boss", "Tove"),
    ("I earn 50,000", "salary", "50,000"),
    ("my desk is by the window", "desk", "by the window"),
    ("I started as a baker", "first_job", "baker"),
    ("I swim", "hobby", "swimming"),
    ("tea is my drink", "drink", "tea"),
)
SAID_THEN = (
    ("Lisbon is home", "home", "Lisbon"),
    ("my boss is now Ulf", "boss", "Ulf"),
    ("the pay is the same", "pay", "the same"),
    ("no desk any more", "desk", "no desk any more"),
    ("it was as a brewer", "first_job", "brewer"),
    ("I climb", "hobby", "climbing"),
    ("the tea bores me", "", ""),
    ("my locker is 12", "locker", "12"),
)


async def test_sleep_applies_each_classification_against_known_facts(stack: Stack) -> None:
    await say(stack, ". ".join(words for words, *_ in SAID_FIRST) + ".", 0)
    await say(stack, ". ".join(words for words, *_ in SAID_THEN) + ".", 3)
    classify = classifying(
        ("Lisbon", "contradict", "Berlin"),
        ("Ulf", "replace", "Tove"),
        ("the same", "support", "50,000"),
        ("no desk any more", "end", "by the window"),
        ("brewer", "correct", "baker"),
        ("climbing", "new", ""),
        ("the tea bores me", "against", "tea"),
    )
    mind = Mind({"sleep-observe": observing(*SAID_FIRST, *SAID_THEN), "sleep-classify": classify})
    await sleep(stack, mind)
    held = await told(stack)
    assert held == {
        "residence": {"lisbon"},
        "boss": {"ulf"},
        "salary": {"50,000"},
        "first_job": {"brewer"},
        "hobby": {"swimming", "climbing"},
        "drink": {"tea"},
        # Without a classification by the model, a fact is new.
        "locker": {"12"},
    }
    facts = stored(stack)
    assert facts["residence", "Berlin"][0] == FactState.CLOSED
    assert facts["residence", "Lisbon"][0] == FactState.SUSPECTED
    # Stated in two sessions, with evidence from both.
    assert facts["salary", "50,000"] == (FactState.CONFIRMED, 2, 0)
    assert facts["first_job", "baker"][0] == FactState.SUSPECTED
    assert facts["drink", "tea"] == (FactState.SUSPECTED, 1, 1)
    assert facts["desk", "by the window"] == (FactState.CLOSED, 1, 1)
    disputed = rows(
        stack,
        """SELECT o.value, n.value, d.outcome, d.decided_by FROM fact_disputes d
             JOIN facts o ON o.namespace_id = d.namespace_id AND o.id = d.old_fact_id
             JOIN facts n ON n.namespace_id = d.namespace_id AND n.id = d.new_fact_id""",
    )
    assert disputed == [("Berlin", "Lisbon", 3, "model")]


async def test_sleep_confirms_facts_learned_by_rule_without_extra_evidence(stack: Stack) -> None:
    await say(stack, "I live in Berlin.", 0)
    await say(stack, "I live in Berlin, as you know.", 3)
    await learn(stack)
    learned = stored(stack)["residence", "Berlin"]
    mind = Mind({"sleep-observe": observing(("I live in Berlin", "city", "Berlin"))})
    await sleep(stack, mind)
    assert learned == (FactState.SUSPECTED, 2, 0)
    # Two sessions of one conversation confirm; a repeated text adds no evidence.
    assert stored(stack)["residence", "Berlin"] == (FactState.CONFIRMED, 2, 0)
    assert "sleep-classify" not in mind.tasks()


async def test_sleep_without_model_confirms_and_expires_facts_by_rule(stack: Stack) -> None:
    await say(stack, "I live in Berlin.", 0)
    await say(stack, "I live in Berlin, as you know.", 3)
    await say(stack, "I drive a Volvo.", 3)
    await learn(stack)
    with stack.database.connect() as conn:
        conn.execute("UPDATE facts SET lifetime_days = 2, state = 1 WHERE attribute = 'vehicle'")
    await sleep(stack)
    assert stored(stack)["residence", "Berlin"][0] == FactState.CONFIRMED
    assert stored(stack)["vehicle", "Volvo"][0] == FactState.CLOSED
    volvo = next(
        each for each in await history_of(stack, "vehicle") if each.valid_until_time.seconds
    )
    ended = volvo.valid_until_time.ToDatetime() - volvo.valid_from_time.ToDatetime()
    assert ended.days == 2
    changes = (await explained(stack, volvo.id)).changes
    assert [(change.action, change.actor) for change in changes] == [
        ("remembered", "machine"),
        ("expired", "machine"),
    ]
    assert "not heard of for 2 days" in changes[1].reason
    assert rows(stack, "SELECT DISTINCT state FROM sleep_sessions") == [(2,)]


async def test_inferred_fact_is_marked_and_inference_sees_known_facts(stack: Stack) -> None:
    await say(stack, "It is tea for me.", -2)
    await sleep(stack, Mind({"sleep-observe": observing(("tea for me", "drink", "tea"))}))
    for at, text in enumerate(("It is 3 in the morning, hello!", "Again up at 3.")):
        await say(stack, text, at)

    def infer(records: Records) -> Any:
        assert "tea" in {fact["value"] for fact in records["facts"]}
        owl = {"attribute": "sleep rhythm", "value": "night owl", "why": "Up at 3.", "because": [1]}
        return {"inferences": [owl]}

    mind = Mind(
        {
            "sleep-observe": observing(("3", "awake at", "3")),
            "sleep-topics": {"topics": ["Nights", "nights"]},
            "sleep-behaviour": infer,
        }
    )
    await sleep(stack, mind)
    [fact] = await history_of(stack, "sleep_rhythm")
    assert (fact.value, fact.source) == ("night owl", fact_pb2.FACT_SOURCE_INFERRED)
    pieces = (await explained(stack, fact.id)).evidence
    assert [(piece.quote, piece.reason) for piece in pieces] == [
        ("It is 3 in the morning, hello!", "Up at 3."),
        ("Again up at 3.", "Up at 3."),
    ]
    # A behaviour becomes a fact in its third session.
    assert stored(stack)["sleep_rhythm", "night owl"] == (FactState.SUSPECTED, 2, 0)
    await say(stack, "Up at 3 once more, good morning.", 2)
    await sleep(stack, mind)
    assert stored(stack)["sleep_rhythm", "night owl"] == (FactState.CONFIRMED, 3, 0)
    topics = rows(stack, "SELECT DISTINCT topics FROM sleep_sessions WHERE topics <> '{}'")
    assert topics == [(["Nights"],)]

"""Sleep learns people, events, a user's style and direction, each only as far as quoted words support it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import people_pb2
from support.calendar_calls import update_settings
from support.calls import message, target
from support.learning import day, learn, say
from support.sleep_calls import Mind, Records, fact_line, observing, rows, sleep
from support.stack import Stack

HIM = {"o": 1, "name": "", "relation": "", "status": "", "words": ""}
IT = {
    "o": 1,
    "title": "",
    "category": "work",
    "start": "",
    "end": "",
    "importance": 0.8,
    "decay_days": 365,
    "status": "",
    "words": "",
}


def observes(*found: tuple[str, str]) -> Callable[[Records], Any]:
    """Return a model that notes words of messages, each with the third party that it is about."""
    return observing(*((words, "", "", about) for words, about in found))


def named(*people: dict[str, Any]) -> Callable[[Records], Any]:
    """Return a model that names people, each in the observation that contains its words or else its name."""

    def name(records: Records) -> Any:
        found: list[dict[str, Any]] = []
        for person in people:
            mark = person.get("words") or person["name"]
            found += [
                {**HIM, "o": each["o"], **person}
                for each in records["observations"]
                if any(mark in quote for quote in each["quotes"])
            ]
        return {"people": found}

    return name


async def people(stack: Stack) -> dict[str, people_pb2.Person]:
    found = (
        await stack.fact_queries.ListPeople(profile.ListPeopleRequest(subjects=["emi"]))
    ).people
    return {person.name: person for person in found}


async def events(stack: Stack) -> list[people_pb2.Event]:
    request = profile.ListEventsRequest(subjects=["emi"], include_past=True)
    return list((await stack.fact_queries.ListEvents(request)).events)


async def test_sleep_stores_each_person_once_with_quoted_evidence(stack: Stack) -> None:
    first = await say(stack, "My wife Anna plays the cello. Globex pays well.", 0)
    await say(stack, "Anna and I got divorced in the end.", 9, session="t")
    mind = Mind(
        {
            "sleep-observe": observes(
                ("My wife Anna plays the cello", "Anna"),
                ("Globex pays well", "Globex"),
                ("Anna and I got divorced", "Anna"),
            ),
            "sleep-people": named(
                {"name": "Anna", "relation": "wife", "words": "My wife Anna"},
                {"name": "Anna", "relation": "ex-wife", "status": "ended", "words": "got divorced"},
            ),
        }
    )
    await sleep(stack, mind)
    anna = (await people(stack))["Anna"]
    assert (anna.relation, anna.mention_count) == ("ex-wife", 2)
    assert anna.status == people_pb2.RELATION_STATUS_ENDED
    explained = await stack.fact_queries.ExplainLearned(
        profile.ExplainLearnedRequest(person_id=anna.id)
    )
    told = {(each.aspect, each.value): each.quote for each in explained.evidence}
    assert told["relation", "wife"] == "My wife Anna"
    assert told["status", "ended"] == "got divorced"
    assert told["detail", "My wife Anna plays the cello."] == "My wife Anna plays the cello."
    assert explained.evidence[0].message_id == first
    # Facts about another person bear the name.
    everything = profile.ListFactsRequest(include_superseded=True)
    facts = (await stack.fact_queries.ListFacts(everything)).facts
    assert {each.attribute for each in facts} == {"anna_note", "globex_note"}
    await sleep(stack, mind)
    assert (await people(stack))["Anna"].mention_count == 2


async def test_sleep_drops_details_of_a_person_not_supported_by_quotes(stack: Stack) -> None:
    await say(stack, "My brother Rui called. Ines came along.", 0)
    wrong = [
        {"name": "Rui", "relation": "sister", "words": "My brother Rui"},
        {"name": "Ines", "relation": "aunt", "words": "my aunt Ines"},
        {"name": "Marta", "words": "My brother Rui"},
        {"name": "emi", "words": "My brother Rui"},
    ]
    mind = Mind(
        {
            "sleep-observe": observes(
                ("My brother Rui called", "Rui"), ("Ines came along", "Ines")
            ),
            "sleep-people": lambda records: {
                "people": [
                    *({**HIM, **each} for each in wrong),
                    {**HIM, "o": 7, "name": "Rui"},
                    {**HIM, "o": 2, "name": "Ines"},
                ]
            },
        }
    )
    await sleep(stack, mind)
    found = await people(stack)
    assert {name: person.relation for name, person in found.items()} == {"Rui": "", "Ines": ""}
    # The model was asked once more, with the errors of its answer.
    assert mind.tasks().count("sleep-people") == 2


async def test_sleep_stores_event_with_stated_time_and_moves_it(stack: Stack) -> None:
    moved_to = (day(0) + timedelta(days=12)).date().isoformat()
    tomorrow = (day(0) + timedelta(days=1)).date().isoformat()
    await say(stack, "Tomorrow I start a new job at Acme.", 0)
    await say(stack, f"The new job at Acme begins on {moved_to} instead.", 4, session="t")

    def happen(records: Records) -> Any:
        [told] = records["observations"]
        start = tomorrow if "Tomorrow" in told["text"] else moved_to
        known = [event["title"] for event in records["events"]]
        title = known[0] if known else "New job at Acme"
        return {"events": [{**IT, "title": title, "start": start}]}

    mind = Mind(
        {
            "sleep-observe": observes(
                ("Tomorrow I start a new job at Acme", ""), ("The new job at Acme begins", "")
            ),
            "sleep-events": happen,
        }
    )
    await sleep(stack, mind)
    [event] = await events(stack)
    assert (event.title, event.category, event.mention_count) == ("New job at Acme", "work", 2)
    assert event.importance == 0.8
    assert event.start_time.ToDatetime(UTC).date().isoformat() == moved_to
    assert event.expire_time.ToDatetime(UTC) - event.start_time.ToDatetime(UTC) == timedelta(365)
    explained = await stack.fact_queries.ExplainLearned(
        profile.ExplainLearnedRequest(event_id=event.id)
    )
    assert len({each.message_id for each in explained.evidence}) == 2


async def test_sleep_drops_details_of_an_event_not_supported_by_quotes(stack: Stack) -> None:
    await say(stack, "My exam is next week. It will be hard.", 0)
    far = (day(0) + timedelta(days=300)).date().isoformat()
    found: list[dict[str, Any]] = [
        {"title": "Exam at Oxford", "category": "education"},
        {"title": "Exam", "category": "education", "start": far},
        {"title": "Exam", "category": "education", "start": "soon"},
        {"title": "Exam", "category": "education", "status": "cancelled", "words": "called off"},
        {"o": 9, "title": "Exam", "category": "education"},
    ]
    answer = {"events": [{**IT, **each} for each in found]}
    mind = Mind({"sleep-observe": observes(("My exam is next week", "")), "sleep-events": answer})
    await sleep(stack, mind)
    [event] = await events(stack)
    assert event.title == "Exam"
    assert not event.HasField("start_time")
    assert event.status == people_pb2.EVENT_STATUS_ACTIVE


async def test_user_trait_requires_valid_quotes_from_two_messages(stack: Stack) -> None:
    texts = ("Just do it.", "No. Ship it now.", "Wrong, again.", "Do the other one.", "Fine.")
    for number, text in enumerate(texts):
        await say(stack, text, number)

    def describe(records: Records) -> Any:
        def quotes(*places: int) -> list[dict[str, Any]]:
            shown = [records["messages"][place] for place in places]
            return [{"n": each["n"], "words": each["text"]} for each in shown]

        return {
            "traits": [
                {"dimension": "directness", "value": "direct", "quotes": quotes(0, 1)},
                {"dimension": "humour", "value": "dry", "quotes": quotes(2)},
                {"dimension": "formality", "value": "direct", "quotes": quotes(0, 1)},
                {"dimension": "length", "value": "detailed", "quotes": quotes(0, 1)},
                {
                    "dimension": "emotion",
                    "value": "reserved",
                    "quotes": [{"n": n, "words": "I never said that."} for n in (1, 2)],
                },
            ]
        }

    mind = Mind({"sleep-user-model": describe})
    await sleep(stack, mind)
    request = profile.GetUserModelRequest(subject="emi", include_evidence=True)
    [trait] = (await stack.fact_queries.GetUserModel(request)).traits
    assert (trait.dimension, trait.value, trait.supporting) == ("directness", "direct", 2)
    assert [each.quote for each in trait.evidence] == [texts[0], texts[1]]
    assert mind.tasks().count("sleep-user-model") == 2


def outlook(phase: str, **fields: Any) -> Callable[[Records], Any]:
    def look(records: Records) -> Any:
        def text(words: str, *because: int) -> dict[str, Any]:
            return {"text": words, "because": list(because) or [1]}

        return {
            "phase": text(phase),
            "direction": text("towards the sea"),
            "stability": "changing",
            "anchors": [text("Lisbon"), text("Porto"), text("residence")],
            "volatile_areas": [text("work"), text("a job at Umbrella")],
            "momentum": text(""),
            "predicted_shifts": [text("a new flat"), text("a child", 99)],
            "summary": text("The person settles by the sea."),
            **fields,
        }

    return look


async def test_sleep_writes_due_trajectory_and_keeps_earlier_versions(stack: Stack) -> None:
    def living(records: Records) -> Any:
        told = [m["text"] for m in records["messages"] if "live in" in m["text"]]
        return {"facts": [fact_line("residence", text[10:-1]) for text in told]}

    async def session(number: int, text: str, phase: str) -> people_pb2.Trajectory:
        await say(stack, text, number, session=str(number))
        mind.answers["sleep-trajectory"] = outlook(phase)
        await sleep(stack, mind, datetime.now(UTC) + timedelta(hours=2 + number))
        request = profile.GetUserModelRequest(subject="emi")
        return (await stack.fact_queries.GetUserModel(request)).trajectory

    mind = Mind({"sleep-observe": living})
    first = await session(0, "I live in Lisbon.", "arriving")
    assert (first.version, first.phase, first.sessions) == (1, "arriving", 1)
    assert first.stability == people_pb2.STABILITY_CHANGING
    # An anchor is the attribute or value of a known fact; anchors without a record are dropped.
    assert list(first.anchors) == ["Lisbon", "residence"]
    assert list(first.volatile_areas) == ["work"]
    assert list(first.predicted_shifts) == ["a new flat"]
    request = profile.GetUserModelRequest(subject="emi", include_evidence=True)
    evidence = (await stack.fact_queries.GetUserModel(request)).trajectory_evidence
    assert {each.aspect for each in evidence} >= {"phase", "direction", "summary", "anchors"}
    assert {each.quote for each in evidence} == {"I live in Lisbon."}
    # Nothing changed.
    for number in (1, 2):
        assert (await session(number, "The weather is fine.", "idle")).version == 1
    # Facts that are anchors of a life mature sooner.
    assert rows(stack, "SELECT value FROM facts WHERE is_anchor") == [("Lisbon",)]
    # A change is allowed two sessions after the last one; three have passed.
    moved = await session(3, "I live in Porto.", "moving on")
    assert (moved.version, moved.phase, moved.sessions) == (2, "moving on", 4)
    assert (await session(4, "I live in Braga.", "too early")).version == 2
    request = profile.GetUserModelRequest(subject="emi", trajectory_version=1)
    assert (await stack.fact_queries.GetUserModel(request)).trajectory.phase == "arriving"


async def test_unsupported_trajectory_is_not_stored(stack: Stack) -> None:
    await say(stack, "I live in Lisbon.", 0)
    mind = Mind(
        {
            "sleep-observe": observes(("I live in Lisbon", "")),
            "sleep-trajectory": outlook("a career at Umbrella since 1999"),
        }
    )
    await sleep(stack, mind)
    found = await stack.fact_queries.GetUserModel(profile.GetUserModelRequest(subject="emi"))
    assert not found.HasField("trajectory")
    assert mind.tasks().count("sleep-trajectory") == 2


async def test_sleep_without_model_raises_probe_and_verify_questions(
    stack: Stack,
) -> None:
    for number, text in ((0, "I live in Berlin."), (20, "We moved to Lisbon.")):
        await say(stack, text, number)
    await learn(stack)
    await sleep(stack, None)
    request = profile.ListStrategiesRequest(subjects=["emi"])
    [probe] = (await stack.fact_queries.ListStrategies(request)).strategies
    assert probe.kind == people_pb2.STRATEGY_KIND_PROBE
    assert "from Berlin to Lisbon" in probe.question
    for _ in range(2):
        await sleep(stack, None, datetime.now(UTC) + timedelta(days=900))
    kinds = [each.kind for each in (await stack.fact_queries.ListStrategies(request)).strategies]
    assert kinds == [people_pb2.STRATEGY_KIND_PROBE, people_pb2.STRATEGY_KIND_VERIFY]


async def test_fact_inferred_in_three_sessions_raises_clarify_question(stack: Stack) -> None:
    inferred = {"attribute": "sleep_rhythm", "value": "a night owl", "why": "late", "because": [1]}
    mind = Mind(
        {
            "sleep-observe": observes(("Still awake", "")),
            "sleep-behaviour": {"inferences": [inferred]},
        }
    )
    request = profile.ListStrategiesRequest(subjects=["emi"])
    found = []
    for number in range(3):
        await say(stack, f"Still awake, {number}.", number, session=str(number))
        await sleep(stack, mind, datetime.now(UTC) + timedelta(hours=2 + number))
        found.append((await stack.fact_queries.ListStrategies(request)).strategies)
    assert [len(each) for each in found] == [0, 0, 1]
    [clarify] = found[-1]
    assert clarify.kind == people_pb2.STRATEGY_KIND_CLARIFY
    assert clarify.question == "Is it right that the sleep rhythm of emi is a night owl?"
    explained = await stack.fact_queries.ExplainLearned(
        profile.ExplainLearnedRequest(strategy_id=clarify.id)
    )
    assert {each.quote for each in explained.evidence} == {f"Still awake, {n}." for n in range(3)}
    assert len(explained.evidence) == 3


async def test_untrusted_channel_cannot_end_relation_stated_in_trusted_channel(
    stack: Stack,
) -> None:
    policy = admin.ChannelPolicy(index=True, roll_up=True, untrusted=True)
    await update_settings(stack, channel_policies={"mail": policy})
    await say(stack, "My wife Anna plays the cello.", 0)
    request = ingest.AppendMessagesRequest(
        conversation=target("mail", channel="mail", subject="emi"),
        messages=[message("Anna and I got divorced in the end.")],
    )
    await stack.ingest.AppendMessages(request)
    mind = Mind(
        {
            "sleep-observe": observes(
                ("My wife Anna plays the cello", "Anna"), ("Anna and I got divorced", "Anna")
            ),
            "sleep-people": named(
                {"name": "Anna", "relation": "wife", "words": "My wife Anna"},
                {"name": "Anna", "relation": "ex-wife", "status": "ended", "words": "got divorced"},
            ),
        }
    )
    await sleep(stack, mind)
    anna = (await people(stack))["Anna"]
    assert (anna.relation, anna.status) == ("wife", people_pb2.RELATION_STATUS_ACTIVE)

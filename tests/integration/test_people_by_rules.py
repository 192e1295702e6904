"""People and events are learned from messages by rules, at default settings and without a language model."""

from __future__ import annotations

from everword.v1 import fact_query_service_pb2 as reads
from everword.v1 import memory_pb2, people_pb2
from everword.v1 import search_service_pb2 as search
from support.learning import day, learn, say
from support.sleep_calls import Mind, observing, sleep
from support.stack import Stack

MESSAGES = (
    "Could you find a present for my sister Ana? She moved to Oslo in spring and reads a lot of crime novels.",
    "My colleague Tom Berg showed me the new build today, and it is faster than the old one by half.",
    "My wife is called Maria, and we need a table for two on Saturday near the opera.",
    "I have a dentist appointment on 3 March 2031 at 16:30, can you move the review to another day?",
    "The report deadline is 20 March 2031, so let us plan the chapters backwards from there.",
)


async def people_of(stack: Stack, subject: str) -> dict[str, people_pb2.Person]:
    request = reads.ListPeopleRequest(subjects=[subject])
    return {each.name: each for each in (await stack.fact_queries.ListPeople(request)).people}


async def events_of(stack: Stack, subject: str) -> dict[str, people_pb2.Event]:
    request = reads.ListEventsRequest(subjects=[subject], include_past=True)
    return {each.title: each for each in (await stack.fact_queries.ListEvents(request)).events}


async def test_people_and_events_are_listed_without_a_model(stack: Stack) -> None:
    for at, text in enumerate(MESSAGES):
        await say(stack, text, at)
    await say(stack, "> my brother Karl wrote this\n\nMy boss is Head of Sales, by the way.", 6)
    await learn(stack)
    people = await people_of(stack, "emi")
    assert {name: each.relation for name, each in people.items()} == {
        "Ana": "sister",
        "Tom Berg": "colleague",
        "Maria": "wife",
    }
    events = await events_of(stack, "emi")
    starts = {title: each.start_time.ToDatetime() for title, each in events.items()}
    assert {title: f"{at:%Y-%m-%d %H:%M}" for title, at in starts.items()} == {
        "Dentist appointment": "2031-03-03 16:30",
        "Report deadline": "2031-03-20 00:00",
    }
    assert events["Dentist appointment"].category == "health"
    why = await stack.fact_queries.ExplainLearned(
        reads.ExplainLearnedRequest(person_id=people["Ana"].id)
    )
    assert why.evidence[0].quote == "Could you find a present for my sister Ana"
    # Named people and appointments are facts as well: memories that Search finds.
    for query, text in (("Who is my colleague?", "Tom Berg"), ("dentist", "2031-03-03 16:30")):
        found = await stack.search.Search(search.SearchRequest(query=query))
        kinds = [each.memory.kind for each in found.results if text in each.memory.content]
        assert memory_pb2.MEMORY_KIND_FACT in kinds
    # The next mention is of the same person; a changed appointment is the same event.
    await say(stack, "Ana works at Initech now, and she loves it there.", 8)
    await say(stack, "My dentist appointment was moved to 5 March 2031 at 15:00.", 9)
    await say(stack, "Maria and I broke up last week, so cancel the table for two.", 10)
    await learn(stack)
    people = await people_of(stack, "emi")
    assert (people["Ana"].mention_count, people["Ana"].relation) == (2, "sister")
    assert people["Maria"].status == people_pb2.RELATION_STATUS_ENDED
    [dentist] = [e for title, e in (await events_of(stack, "emi")).items() if "Dentist" in title]
    assert f"{dentist.start_time.ToDatetime():%Y-%m-%d %H:%M}" == "2031-03-05 15:00"
    assert dentist.last_seen_time.ToDatetime().date() == day(9).date()


async def test_sessions_are_listed_with_topics_and_observations(stack: Stack) -> None:
    await say(stack, "It is tea for me, and the cello at six.", 0)
    mind = Mind(
        {
            "sleep-observe": observing(("tea for me", "drink", "tea")),
            "sleep-topics": {"topics": ["Tea"]},
        }
    )
    await sleep(stack, mind)
    [session] = (await stack.fact_queries.ListSessions(reads.ListSessionsRequest())).sessions
    assert (session.subject, session.state, list(session.topics)) == ("emi", "processed", ["Tea"])
    [observed] = session.observations
    assert (observed.attribute, observed.value, list(observed.quotes)) == (
        "drink",
        "tea",
        ["It is tea for me, and the cello at six."],
    )
    request = reads.ListSessionsRequest(conversation_id=session.conversation_id)
    assert len((await stack.fact_queries.ListSessions(request)).sessions) == 1

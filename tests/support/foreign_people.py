"""Calls on people, events and questions with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from everword.people.model import EventMention, MessageWords, PersonMention
from everword.people.strategies import ask
from everword.people.writer import meet_people, take_events
from everword.v1 import fact_query_service_pb2 as pb
from everword.v1 import fact_service_pb2 as review
from everword.v1 import people_pb2
from support.callers import within
from support.foreign import NO_PAGE, NO_TOKEN, Call
from support.learned import START, day, learning_transaction
from support.stack import Stack

WRONG = people_pb2.LEARNED_RULING_WRONG


@dataclass(frozen=True)
class Learned:
    """Ids and tokens of learned memories in another namespace."""

    person_id: str
    event_id: str
    strategy_id: str
    #: By RPC.
    page_tokens: dict[str, str]


async def learn_theirs(
    stack: Stack, namespace: str, message_id: str, conversation_id: str
) -> Learned:
    """Store two of each kind in a namespace."""
    with stack.database.connect() as conn:
        row = conn.execute("SELECT id FROM namespaces WHERE name = %s", [namespace]).fetchone()
    assert row
    said = MessageWords(UUID(message_id), UUID(conversation_id), "Their words.", START)
    told = [
        MessageWords(UUID(int=number), said.conversation_id, "Them.", day(number))
        for number in range(3)
    ]
    async with learning_transaction(stack.database, row[0]) as conn:
        mentions = [PersonMention(name, each) for name in ("Ana", "Bruno") for each in told]
        await meet_people(conn, row[0], "emi", mentions)
        events = [EventMention(title, "work", said, decay_days=9999) for title in ("Audit", "Move")]
        await take_events(conn, row[0], "emi", events)
        assert await ask(conn, row[0], "emi", day(1)) == 2
    metadata = within(namespace)
    people = await stack.fact_queries.ListPeople(people_request(), metadata=metadata)
    listed = await stack.fact_queries.ListEvents(events_request(), metadata=metadata)
    asked = await stack.fact_queries.ListStrategies(strategies_request(), metadata=metadata)
    return Learned(
        people.people[0].id,
        listed.events[0].id,
        asked.strategies[0].id,
        {
            "ListPeople": people.next_page_token,
            "ListEvents": listed.next_page_token,
            "ListStrategies": asked.next_page_token,
        },
    )


def people_request(**fields: Any) -> pb.ListPeopleRequest:
    return pb.ListPeopleRequest(page_size=1, **fields)


def events_request(**fields: Any) -> pb.ListEventsRequest:
    return pb.ListEventsRequest(page_size=1, **fields)


def strategies_request(**fields: Any) -> pb.ListStrategiesRequest:
    return pb.ListStrategiesRequest(page_size=1, **fields)


#: Like `REFUSED` and `EMPTY` of the test.
PEOPLE_REFUSED: dict[str, tuple[str, Call]] = {
    "ExplainLearned person_id": (
        "PERSON_NOT_FOUND",
        lambda s, t: s.fact_queries.ExplainLearned(
            pb.ExplainLearnedRequest(person_id=t.learned.person_id)
        ),
    ),
    "ExplainLearned event_id": (
        "EVENT_NOT_FOUND",
        lambda s, t: s.fact_queries.ExplainLearned(
            pb.ExplainLearnedRequest(event_id=t.learned.event_id)
        ),
    ),
    "ExplainLearned strategy_id": (
        "STRATEGY_NOT_FOUND",
        lambda s, t: s.fact_queries.ExplainLearned(
            pb.ExplainLearnedRequest(strategy_id=t.learned.strategy_id)
        ),
    ),
    "ReviewLearned person_id": (
        "PERSON_NOT_FOUND",
        lambda s, t: s.facts.ReviewLearned(
            review.ReviewLearnedRequest(person_id=t.learned.person_id, ruling=WRONG)
        ),
    ),
    "ReviewLearned event_id": (
        "EVENT_NOT_FOUND",
        lambda s, t: s.facts.ReviewLearned(
            review.ReviewLearnedRequest(event_id=t.learned.event_id, ruling=WRONG)
        ),
    ),
    "ReviewLearned strategy_id": (
        "STRATEGY_NOT_FOUND",
        lambda s, t: s.facts.ReviewLearned(
            review.ReviewLearnedRequest(
                strategy_id=t.learned.strategy_id, state=people_pb2.STRATEGY_STATE_DROPPED
            )
        ),
    ),
    "ListPeople page_token": (
        NO_PAGE,
        lambda s, t: s.fact_queries.ListPeople(
            people_request(page_token=t.learned.page_tokens["ListPeople"])
        ),
    ),
    "ListEvents page_token": (
        NO_PAGE,
        lambda s, t: s.fact_queries.ListEvents(
            events_request(page_token=t.learned.page_tokens["ListEvents"])
        ),
    ),
    "ListStrategies page_token": (
        NO_PAGE,
        lambda s, t: s.fact_queries.ListStrategies(
            strategies_request(page_token=t.learned.page_tokens["ListStrategies"])
        ),
    ),
    "ListPeople at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.ListPeople(
            people_request(at_least_as_fresh=t.consistency_token)
        ),
    ),
    "ExplainLearned at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.ExplainLearned(
            pb.ExplainLearnedRequest(
                person_id=t.learned.person_id, at_least_as_fresh=t.consistency_token
            )
        ),
    ),
    "ListEvents at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.ListEvents(
            events_request(at_least_as_fresh=t.consistency_token)
        ),
    ),
    "GetUserModel at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.GetUserModel(
            pb.GetUserModelRequest(subject="emi", at_least_as_fresh=t.consistency_token)
        ),
    ),
    "ListStrategies at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.fact_queries.ListStrategies(
            strategies_request(at_least_as_fresh=t.consistency_token)
        ),
    ),
}
PEOPLE_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "ListPeople": (
        lambda s, t: s.fact_queries.ListPeople(people_request(include_rejected=True)),
        lambda answer: not answer.people,
    ),
    "ListEvents": (
        lambda s, t: s.fact_queries.ListEvents(events_request(include_past=True)),
        lambda answer: not answer.events,
    ),
    "ListStrategies": (
        lambda s, t: s.fact_queries.ListStrategies(strategies_request(include_ended=True)),
        lambda answer: not answer.strategies,
    ),
    "GetUserModel": (
        lambda s, t: s.fact_queries.GetUserModel(pb.GetUserModelRequest(subject="emi")),
        lambda answer: answer == pb.GetUserModelResponse(),
    ),
}

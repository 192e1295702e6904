"""People, events, user models, trajectories and strategies are learned once, shown with their evidence, and
corrected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from everword.domain.ids import new_id
from everword.people.model import (
    EventMention,
    MessageWords,
    PersonMention,
    RelationStatus,
    Stability,
)
from everword.people.store import TrajectoryRow, find_trajectory
from everword.people.strategies import ask
from everword.people.traits import Trait
from everword.people.user_models import describe_user, set_trajectory
from everword.people.writer import meet_people, take_events
from everword.v1 import fact_pb2, people_pb2
from everword.v1 import fact_query_service_pb2 as pb
from everword.v1 import fact_service_pb2 as facts
from support.learned_facts import DEFAULT_NAMESPACE, SUBJECT, day, learning_transaction, say
from support.refusals import refused
from support.stack import Stack


async def meet(stack: Stack, *mentions: PersonMention) -> None:
    async with learning_transaction(stack.database) as conn:
        await meet_people(conn, DEFAULT_NAMESPACE, SUBJECT, mentions)


async def take(stack: Stack, *mentions: EventMention) -> None:
    async with learning_transaction(stack.database) as conn:
        await take_events(conn, DEFAULT_NAMESPACE, SUBJECT, mentions)


async def find_questions(stack: Stack, at: datetime | None = None) -> int:
    async with learning_transaction(stack.database) as conn:
        return await ask(conn, DEFAULT_NAMESPACE, SUBJECT, at or datetime.now(UTC))


async def people(stack: Stack, **fields: Any) -> Sequence[people_pb2.Person]:
    request = pb.ListPeopleRequest(subjects=[SUBJECT], **fields)
    return (await stack.fact_queries.ListPeople(request)).people


async def events(stack: Stack, **fields: Any) -> Sequence[people_pb2.Event]:
    request = pb.ListEventsRequest(subjects=[SUBJECT], **fields)
    return (await stack.fact_queries.ListEvents(request)).events


async def questions(stack: Stack, **fields: Any) -> Sequence[people_pb2.Strategy]:
    request = pb.ListStrategiesRequest(subjects=[SUBJECT], **fields)
    return (await stack.fact_queries.ListStrategies(request)).strategies


async def test_person_collects_aliases_and_evidence_and_counts_each_message_once(
    stack: Stack,
) -> None:
    first = await say(stack, "My wife Muhhamed-Anna and I met Muhammad at work.", 0)
    later = await say(stack, "Muhhamed, my colleague, moved to Rome.", 5, session_key="b")
    mentions = [
        PersonMention("Muhammad", replace(first, quote="met Muhammad at work")),
        PersonMention("Muhhamed", later, "colleague", details=("moved to Rome",)),
    ]
    for _ in range(2):
        await meet(stack, *mentions)
    await asyncio.gather(*(meet(stack, *mentions) for _ in range(3)))
    [person] = await people(stack)
    assert (person.name, list(person.aliases), person.relation) == (
        "Muhammad",
        ["Muhhamed"],
        "colleague",
    )
    assert (person.mention_count, person.status) == (2, people_pb2.RELATION_STATUS_ACTIVE)
    assert person.first_seen_time.ToDatetime(UTC) == day(0)
    assert person.last_seen_time.ToDatetime(UTC) == day(5)
    explained = await stack.fact_queries.ExplainLearned(
        pb.ExplainLearnedRequest(person_id=person.id)
    )
    assert [(each.aspect, each.value) for each in explained.evidence] == [
        ("name", "Muhammad"),
        ("name", "Muhhamed"),
        ("relation", "colleague"),
        ("detail", "moved to Rome"),
    ]
    assert explained.evidence[0].quote == "met Muhammad at work"
    assert explained.evidence[0].message_id == str(first.message_id)
    assert explained.evidence[-1].conversation_id == str(later.conversation_id)
    assert [change.action for change in explained.changes] == ["met"]


async def test_relation_changes_by_message_time_and_keeps_its_history(stack: Stack) -> None:
    married = await say(stack, "I married Anna.", 0)
    divorced = await say(stack, "Anna and I got divorced.", 100)
    await meet(stack, PersonMention("Anna", divorced, "ex-wife", RelationStatus.ENDED))
    # An older statement that is learned later does not change current values.
    await meet(stack, PersonMention("Anna", married, "wife", RelationStatus.ACTIVE))
    [person] = await people(stack)
    assert (person.relation, person.status) == ("ex-wife", people_pb2.RELATION_STATUS_ENDED)
    explained = await stack.fact_queries.ExplainLearned(
        pb.ExplainLearnedRequest(person_id=person.id)
    )
    told = [each.value for each in explained.evidence if each.aspect in ("relation", "status")]
    assert told == ["wife", "active", "ex-wife", "ended"]


async def test_rulings_override_learned_values_and_are_audited(stack: Stack) -> None:
    said = await say(stack, "Anna is my friend.", 0)
    await meet(stack, PersonMention("Anna", said, "friend"))
    [person] = await people(stack)

    async def rule(ruling: people_pb2.LearnedRuling.ValueType) -> people_pb2.Person:
        request = facts.ReviewLearnedRequest(
            person_id=person.id,
            ruling=ruling,
            reason="she said so",
            actor=fact_pb2.FACT_ACTOR_PERSON,
        )
        response = await stack.facts.ReviewLearned(request)
        assert response.consistency_token
        return response.person

    for _ in range(2):
        over = await rule(people_pb2.LEARNED_RULING_OVER)
    assert over.status == people_pb2.RELATION_STATUS_ENDED
    await meet(stack, PersonMention("Anna", await say(stack, "Anna called.", 3), "friend"))
    [still] = await people(stack)
    assert (still.status, still.mention_count) == (people_pb2.RELATION_STATUS_ENDED, 2)
    await rule(people_pb2.LEARNED_RULING_WRONG)
    await meet(stack, PersonMention("Anna", await say(stack, "Anna again.", 399)))
    assert not await people(stack)
    [rejected] = await people(stack, include_rejected=True)
    assert (rejected.id, rejected.mention_count) == (person.id, 3)
    right = await rule(people_pb2.LEARNED_RULING_RIGHT)
    assert (right.status, right.ruling) == (people_pb2.RELATION_STATUS_ACTIVE, 0)
    explained = await stack.fact_queries.ExplainLearned(
        pb.ExplainLearnedRequest(person_id=person.id)
    )
    assert [(each.actor, each.action, each.reason) for each in explained.changes] == [
        ("machine", "met", ""),
        ("person", "ruled over", "she said so"),
        ("person", "ruled wrong", "she said so"),
        ("person", "ruled right", "she said so"),
    ]


async def test_events_merge_move_and_expire(stack: Stack) -> None:
    old = await say(stack, "I started a new job at Acme.", 0)
    plan = await say(stack, "The surgery on my knee is next week.", 390)
    moved = await say(stack, "My knee surgery was moved by three days.", 392)
    job = EventMention("Started a new job at Acme", "work", old, day(0), None, 0.8, 30)
    surgery = EventMention("Knee surgery", "health", plan, day(397), None, 0.9, 60)
    later = EventMention("knee surgery", "health", moved, day(400), None, 0.9, 60)
    for _ in range(2):
        await take(stack, job, surgery, later)
    [current] = await events(stack)
    assert (current.title, current.mention_count, current.importance) == ("Knee surgery", 2, 0.9)
    assert current.start_time.ToDatetime(UTC) == day(400)
    assert current.expire_time.ToDatetime(UTC) == day(460)
    both = await events(stack, include_past=True)
    assert [each.status for each in both] == [
        people_pb2.EVENT_STATUS_EXPIRED,
        people_pb2.EVENT_STATUS_ACTIVE,
    ]
    explained = await stack.fact_queries.ExplainLearned(
        pb.ExplainLearnedRequest(event_id=current.id)
    )
    starts = [each.quote for each in explained.evidence if each.aspect == "start"]
    assert starts == [plan.quote, moved.quote]
    assert [each.action for each in explained.changes] == ["learned", "moved"]
    over = facts.ReviewLearnedRequest(event_id=current.id, ruling=people_pb2.LEARNED_RULING_OVER)
    ended = (await stack.facts.ReviewLearned(over)).event
    assert ended.status == people_pb2.EVENT_STATUS_ENDED
    assert not await events(stack)


async def remember(
    stack: Stack, value: str, said: MessageWords | None = None, **fields: Any
) -> str:
    evidence = (
        [fact_pb2.NewEvidence(message_id=str(said.message_id), quote=said.quote)] if said else []
    )
    request = facts.RememberRequest(subject=SUBJECT, value=value, evidence=evidence, **fields)
    return (await stack.facts.Remember(request)).fact.id


async def test_expired_fact_raises_one_verify_question_until_restated(stack: Stack) -> None:
    said = await say(stack, "I live in Lisbon.", 0)
    stated = {"attribute": "residence", "source": fact_pb2.FACT_SOURCE_STATED, "lifetime_days": 30}
    fact_id = await remember(stack, "Lisbon", said, **stated)
    closed = await remember(stack, "happy", said, attribute="mood", lifetime_days=30)
    await stack.facts.CloseFact(facts.CloseFactRequest(fact_id=closed))
    await remember(stack, "nurse", attribute="job")
    assert [await find_questions(stack) for _ in range(2)] == [1, 0]
    assert await asyncio.gather(*(find_questions(stack) for _ in range(3))) == [0, 0, 0]
    [question] = await questions(stack)
    assert (question.kind, question.about_id) == (people_pb2.STRATEGY_KIND_VERIFY, fact_id)
    assert question.question == "Is the residence of emi still Lisbon?"
    assert question.state == people_pb2.STRATEGY_STATE_OPEN
    explained = await stack.fact_queries.ExplainLearned(
        pb.ExplainLearnedRequest(strategy_id=question.id)
    )
    assert [each.quote for each in explained.evidence] == ["I live in Lisbon."]
    again = await say(stack, "I still live in Lisbon.", 300)
    await remember(stack, "Lisbon", again, **stated)
    assert await find_questions(stack, day(320)) == 0
    assert [each.state for each in await questions(stack, include_ended=True)] == [
        people_pb2.STRATEGY_STATE_ANSWERED
    ]
    # It will expire again, which raises a new question.
    assert await find_questions(stack, datetime.now(UTC) + timedelta(days=200)) == 1


async def test_inferred_fact_raises_clarify_question_and_changed_value_raises_probe(
    stack: Stack,
) -> None:
    inferred = {"attribute": "diet", "source": fact_pb2.FACT_SOURCE_INFERRED}
    for number in range(3):
        assert await find_questions(stack) == 0
        said = await say(stack, f"No meat for me, take {number}.", 390 + number)
        await remember(stack, "vegetarian", said, **inferred)
    assert await find_questions(stack) == 1
    [clarify] = await questions(stack)
    assert clarify.kind == people_pb2.STRATEGY_KIND_CLARIFY
    assert clarify.question == "Is it right that the diet of emi is vegetarian?"
    residence = {"attribute": "residence", "source": fact_pb2.FACT_SOURCE_STATED}
    await remember(stack, "Berlin", await say(stack, "I live in Berlin.", 380), **residence)
    await remember(stack, "Lisbon", await say(stack, "We moved to Lisbon.", 395), **residence)
    assert [await find_questions(stack) for _ in range(2)] == [1, 0]
    probe = (await questions(stack))[-1]
    assert probe.kind == people_pb2.STRATEGY_KIND_PROBE
    assert probe.question == "What led the residence of emi to change from Berlin to Lisbon?"
    said = await say(stack, "I am vegetarian.", 399)
    await remember(stack, "vegetarian", said, **(inferred | {"source": 1}))
    await find_questions(stack)
    assert [each.id for each in await questions(stack)] == [probe.id]
    drop = facts.ReviewLearnedRequest(
        strategy_id=probe.id, state=people_pb2.STRATEGY_STATE_DROPPED, reason="too private"
    )
    for _ in range(2):
        dropped = (await stack.facts.ReviewLearned(drop)).strategy
    assert dropped.state == people_pb2.STRATEGY_STATE_DROPPED
    explained = await stack.fact_queries.ExplainLearned(
        pb.ExplainLearnedRequest(strategy_id=probe.id)
    )
    assert [(each.actor, each.action) for each in explained.changes] == [("agent", "dropped")]
    assert await find_questions(stack) == 0
    assert not await questions(stack)


async def test_frequent_person_and_important_event_raise_questions_until_answered(
    stack: Stack,
) -> None:
    told = [await say(stack, f"Saw Rui again, {number}.", 300 + number) for number in range(3)]
    await meet(stack, *(PersonMention("Rui", said) for said in told))
    plan = await say(stack, "My surgery is on Friday.", 395)
    await take(stack, EventMention("Knee surgery", "health", plan, day(397), None, 0.9, 60))
    assert [await find_questions(stack) for _ in range(2)] == [2, 0]
    assert [each.question for each in await questions(stack)] == [
        "Who is Rui to emi?",
        "How did it go: Knee surgery?",
    ]
    explained = await stack.fact_queries.ExplainLearned(
        pb.ExplainLearnedRequest(strategy_id=(await questions(stack))[0].id)
    )
    assert {each.quote for each in explained.evidence} == {said.quote for said in told}
    answer = await say(stack, "Rui is my brother. The surgery went well.", 399)
    await meet(stack, PersonMention("Rui", answer, "brother"))
    await take(stack, EventMention("knee surgery", "health", answer, day(397), None, 0.9, 60))
    assert await find_questions(stack) == 0
    assert not await questions(stack)


async def test_user_model_keeps_past_trait_values_with_evidence(stack: Stack) -> None:
    async def assess(value: str, *said: MessageWords) -> int:
        async with learning_transaction(stack.database) as conn:
            trait = Trait("directness", value, said)
            return await describe_user(conn, DEFAULT_NAMESPACE, SUBJECT, [trait])

    direct = [await say(stack, f"Just do it, {number}.", number) for number in range(3)]
    indirect = [await say(stack, f"Perhaps you might, {number}.", 9 + number) for number in (0, 1)]
    assert [await assess("direct", *direct[:2]) for _ in range(2)] == [1, 0]
    assert await assess("direct", direct[2]) == 0
    assert await assess("indirect", *indirect) == 1
    request = pb.GetUserModelRequest(subject=SUBJECT)
    [current] = (await stack.fact_queries.GetUserModel(request)).traits
    assert (current.value, current.supporting, len(current.evidence)) == ("indirect", 2, 0)
    request = pb.GetUserModelRequest(subject=SUBJECT, include_past=True, include_evidence=True)
    past, now = (await stack.fact_queries.GetUserModel(request)).traits
    assert (past.value, past.supporting) == ("direct", 3)
    assert [each.quote for each in past.evidence] == [said.quote for said in direct]
    assert past.held_until_time == now.held_from_time


async def test_trajectory_updates_are_versioned_and_refused_when_stale(stack: Stack) -> None:
    said = await say(stack, "We are moving to Lisbon for good.", 0)

    async def see(phase: str, seen: TrajectoryRow | None) -> bool:
        row = TrajectoryRow(
            new_id(), SUBJECT, 0, phase, "south", Stability.CHANGING, ["family"], ["work"], "a move",
            ["a new job"], "Moves with the family.", 3, "scripted", 1, datetime.now(UTC),
        )  # fmt: skip
        async with learning_transaction(stack.database) as conn:
            return await set_trajectory(conn, DEFAULT_NAMESPACE, row, seen, {"direction": [said]})

    assert await see("settling", None)
    # A concurrent Sleep without this observation comes too late.
    assert not await see("drifting", None)
    async with learning_transaction(stack.database) as conn:
        first = await find_trajectory(conn, DEFAULT_NAMESPACE, SUBJECT)
    assert await see("settled", first)
    request = pb.GetUserModelRequest(subject=SUBJECT, include_evidence=True)
    latest = await stack.fact_queries.GetUserModel(request)
    assert (latest.trajectory.version, latest.trajectory.phase) == (2, "settled")
    assert latest.trajectory.stability == people_pb2.STABILITY_CHANGING
    assert [(each.aspect, each.quote) for each in latest.trajectory_evidence] == [
        ("direction", said.quote)
    ]
    request = pb.GetUserModelRequest(subject=SUBJECT, trajectory_version=1)
    assert (await stack.fact_queries.GetUserModel(request)).trajectory.phase == "settling"
    nobody = await stack.fact_queries.GetUserModel(pb.GetUserModelRequest(subject="nobody"))
    assert not nobody.HasField("trajectory")


async def test_list_people_pages_and_unknown_ids_are_refused(stack: Stack) -> None:
    said = await say(stack, "Ana, Bruno and Carla came.", 0)
    await meet(stack, *(PersonMention(name, said) for name in ("Ana", "Bruno", "Carla")))
    request = pb.ListPeopleRequest(page_size=2)
    first = await stack.fact_queries.ListPeople(request)
    request.page_token = first.next_page_token
    second = await stack.fact_queries.ListPeople(request)
    assert [each.name for each in (*first.people, *second.people)] == ["Ana", "Bruno", "Carla"]
    assert not second.next_page_token
    request.include_rejected = True
    assert (await refused(stack.fact_queries.ListPeople(request))).reason == "PAGE_TOKEN_INVALID"
    id_, wrong = str(uuid4()), people_pb2.LEARNED_RULING_WRONG
    for call, reason in (
        (
            stack.fact_queries.ExplainLearned(pb.ExplainLearnedRequest(person_id=id_)),
            "PERSON_NOT_FOUND",
        ),
        (
            stack.fact_queries.ExplainLearned(pb.ExplainLearnedRequest(event_id=id_)),
            "EVENT_NOT_FOUND",
        ),
        (
            stack.fact_queries.ExplainLearned(pb.ExplainLearnedRequest(strategy_id=id_)),
            "STRATEGY_NOT_FOUND",
        ),
        (
            stack.facts.ReviewLearned(facts.ReviewLearnedRequest(person_id=id_, ruling=wrong)),
            "PERSON_NOT_FOUND",
        ),
        (
            stack.facts.ReviewLearned(facts.ReviewLearnedRequest(event_id=id_, ruling=wrong)),
            "EVENT_NOT_FOUND",
        ),
        (
            stack.facts.ReviewLearned(
                facts.ReviewLearnedRequest(strategy_id=id_, state=people_pb2.STRATEGY_STATE_DROPPED)
            ),
            "STRATEGY_NOT_FOUND",
        ),
        (
            stack.facts.ReviewLearned(facts.ReviewLearnedRequest(person_id=id_)),
            "VALIDATION_FAILED",
        ),
        (
            stack.facts.ReviewLearned(
                facts.ReviewLearnedRequest(strategy_id=id_, state=people_pb2.STRATEGY_STATE_OPEN)
            ),
            "VALIDATION_FAILED",
        ),
    ):
        assert (await refused(call)).reason == reason

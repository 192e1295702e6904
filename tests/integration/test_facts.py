"""Facts are remembered, superseded, corrected and closed; past values and past knowledge can be queried."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import context_service_pb2 as context
from everword.v1 import fact_pb2, memory_pb2
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import search_service_pb2 as search
from support.calls import append, message
from support.refusals import refused
from support.stack import Stack

BEGAN = datetime(2024, 1, 10, tzinfo=UTC)


def day(number: int) -> datetime:
    return BEGAN + timedelta(days=number)


async def remember(
    stack: Stack,
    value: str,
    *,
    attribute: str = "residence",
    subject: str = "emi",
    since: int | None = None,
    until: int | None = None,
    **fields: Any,
) -> facts.RememberResponse:
    request = facts.RememberRequest(
        subject=subject, attribute=attribute, value=value, **{"lifetime_days": 36500, **fields}
    )
    if since is not None:
        request.valid_from_time.FromDatetime(day(since))
    if until is not None:
        request.valid_until_time.FromDatetime(day(until))
    return await stack.facts.Remember(request)


async def held(
    stack: Stack, *, at: int | None = None, known: datetime | None = None, subject: str = "emi"
) -> list[str]:
    """Return the values of a subject's profile."""
    request = profile.GetProfileRequest(subject=subject)
    if at is not None:
        request.valid_at_time.FromDatetime(day(at))
    if known is not None:
        request.known_at_time.FromDatetime(known)
    return [fact.value for fact in (await stack.fact_queries.GetProfile(request)).facts]


async def found(stack: Stack, at: int | None = None, known: datetime | None = None) -> list[str]:
    """Return the hits of a search for a residence."""
    request = search.SearchRequest(query="residence of emi", mode=search.SEARCH_MODE_LEXICAL)
    if at is not None:
        request.filter.valid_at_time.FromDatetime(day(at))
    if known is not None:
        request.filter.known_at_time.FromDatetime(known)
    return [hit.memory.content for hit in (await stack.search.Search(request)).results]


async def test_newest_statement_is_current_and_past_values_can_be_queried(
    stack: Stack,
) -> None:
    await remember(stack, "Berlin", since=0)
    moved = await remember(stack, "Lisbon", since=100)
    assert [fact.value for fact in moved.superseded] == ["Berlin"]
    [old] = moved.superseded
    assert old.state == fact_pb2.FACT_STATE_CLOSED
    assert old.valid_until_time.ToDatetime(UTC) == day(100)
    assert old.successor_id == moved.fact.id
    assert await held(stack) == ["Lisbon"]
    assert await held(stack, at=99) == ["Berlin"]
    assert await held(stack, at=100) == ["Lisbon"]
    assert await held(stack, at=-1) == []
    assert await found(stack) == ["Residence of emi: Lisbon"]
    assert await found(stack, at=99) == ["Residence of emi: Berlin"]
    request = profile.GetFactHistoryRequest(subject="emi", attribute="residence")
    history = (await stack.fact_queries.GetFactHistory(request)).facts
    assert [(each.value, each.HasField("known_until_time")) for each in history] == [
        ("Berlin", True),
        ("Berlin", False),
        ("Lisbon", False),
    ]


async def test_statement_recorded_late_does_not_override_a_newer_one(stack: Stack) -> None:
    await remember(stack, "Lisbon", since=100)
    await remember(stack, "Berlin", since=0)
    assert await held(stack) == ["Lisbon"]
    assert await held(stack, at=50) == ["Berlin"]
    back = await remember(stack, "berlin ", since=200)
    assert back.fact.value == "Berlin"
    assert await held(stack) == ["Berlin"]
    assert await held(stack, at=150) == ["Lisbon"]
    everything = profile.ListFactsRequest(include_superseded=True)
    listed = (await stack.fact_queries.ListFacts(everything)).facts
    assert len({fact.id for fact in listed}) == 2


async def test_fact_with_end_date_restores_the_previous_value_afterwards(stack: Stack) -> None:
    await remember(stack, "Berlin", since=0)
    await remember(stack, "Oslo", since=10, until=20)
    assert [await held(stack, at=at) for at in (9, 10, 19, 20)] == [
        ["Berlin"],
        ["Oslo"],
        ["Oslo"],
        ["Berlin"],
    ]
    refusal = await refused(remember(stack, "Rome", since=20, until=20))
    assert refusal.reason == "VALIDATION_FAILED"


async def test_multi_valued_attributes_keep_all_values(stack: Stack) -> None:
    await remember(stack, "penicillin", attribute="allergy")
    second = await remember(stack, "nuts", attribute="allergy")
    assert not second.superseded
    assert sorted(await held(stack)) == ["nuts", "penicillin"]
    await remember(stack, "red", attribute="favourite_colour")
    assert [
        f.value for f in (await remember(stack, "blue", attribute="favourite_colour")).superseded
    ]
    await remember(stack, "tea", attribute="drink", several_values=True)
    assert not (await remember(stack, "coffee", attribute="drink", several_values=True)).superseded


async def test_correction_changes_current_knowledge_and_keeps_past_knowledge(
    stack: Stack,
) -> None:
    await remember(stack, "Oslo", since=0)
    wrong = await remember(stack, "Berlin", since=100)
    then = datetime.now(UTC)
    await asyncio.sleep(0.01)
    request = facts.CorrectFactRequest(
        fact_id=wrong.fact.id, value="Bern", reason="misheard", actor=fact_pb2.FACT_ACTOR_PERSON
    )
    corrected = await stack.facts.CorrectFact(request)
    assert corrected.rejected.state == fact_pb2.FACT_STATE_REJECTED
    assert await held(stack, at=150) == ["Bern"]
    assert await held(stack, at=150, known=then) == ["Berlin"]
    assert await held(stack, at=50) == await held(stack, at=50, known=then) == ["Oslo"]
    assert await found(stack) == ["Residence of emi: Bern"]
    assert await found(stack, at=150, known=then) == ["Residence of emi: Berlin"]
    explained = await stack.fact_queries.ExplainFact(
        profile.ExplainFactRequest(fact_id=wrong.fact.id)
    )
    last = explained.changes[-1]
    assert (last.actor, last.action, last.reason) == ("person", "corrected", "misheard")
    assert last.other_fact_id == corrected.fact.id

    # Earlier statements do not restore the value; later ones do.
    said = await append(stack, message("I live in Berlin.", create_time=_stamp(day(120))))
    evidence = [
        fact_pb2.NewEvidence(message_id=said.messages[0].message_id, quote="live in Berlin")
    ]
    await remember(stack, "Berlin", evidence=evidence, source=fact_pb2.FACT_SOURCE_STATED)
    assert await held(stack) == ["Bern"]
    later = await append(stack, message("I moved to Berlin now."))
    evidence = [
        fact_pb2.NewEvidence(message_id=later.messages[0].message_id, quote="moved to Berlin")
    ]
    await remember(stack, "Berlin", evidence=evidence, source=fact_pb2.FACT_SOURCE_STATED)
    assert await held(stack) == ["Berlin"]


async def test_rejecting_a_fact_restores_the_value_it_superseded(stack: Stack) -> None:
    await remember(stack, "Oslo", since=0)
    wrong = await remember(stack, "Berlin", since=100)
    await stack.facts.CorrectFact(facts.CorrectFactRequest(fact_id=wrong.fact.id))
    assert await held(stack) == ["Oslo"]


async def test_fact_is_confirmed_by_two_conversations_and_established_over_years(
    stack: Stack,
) -> None:
    async def said(number: int, conversation: str) -> facts.RememberResponse:
        moment = _stamp(day(number))
        stored = await append(
            stack, message("I work at Acme.", create_time=moment), session_key=conversation
        )
        evidence = fact_pb2.NewEvidence(message_id=stored.messages[0].message_id, quote="at Acme")
        return await remember(
            stack,
            "Acme",
            attribute="employer",
            evidence=[evidence],
            source=fact_pb2.FACT_SOURCE_STATED,
        )

    first = (await said(0, "a")).fact
    again = (await said(1, "a")).fact
    other = (await said(2, "b")).fact
    much_later = (await said(60, "c")).fact
    states = [fact.state for fact in (first, again, other, much_later)]
    assert states == [
        fact_pb2.FACT_STATE_SUSPECTED,
        fact_pb2.FACT_STATE_SUSPECTED,
        fact_pb2.FACT_STATE_CONFIRMED,
        # A lasting attribute of a person is established after 54 days with two pieces of evidence.
        fact_pb2.FACT_STATE_ESTABLISHED,
    ]
    confidences = [fact.confidence for fact in (first, again, other, much_later)]
    assert confidences == sorted(set(confidences))
    assert first.id == much_later.id
    explained = await stack.fact_queries.ExplainFact(profile.ExplainFactRequest(fact_id=first.id))
    assert [each.quote for each in explained.evidence] == ["at Acme"] * 4
    assert len({each.conversation_id for each in explained.evidence}) == 3

    # Additional inferred evidence does not turn a stated fact into an inferred one.
    inferred: dict[str, Any] = {"attribute": "employer", "source": fact_pb2.FACT_SOURCE_INFERRED}
    assert (await remember(stack, "Acme", **inferred)).fact.source == fact_pb2.FACT_SOURCE_STATED

    # A hypothesis does not replace an established fact; it is a counter-indication.
    guess = await remember(stack, "Umbrella", hypothesis=True, **inferred)
    assert guess.fact.state == fact_pb2.FACT_STATE_SUSPECTED
    assert not guess.superseded
    assert await held(stack) == ["Acme"]
    doubted = await stack.fact_queries.ExplainFact(profile.ExplainFactRequest(fact_id=first.id))
    assert doubted.fact.contradicting == 1
    assert doubted.fact.confidence < much_later.confidence


async def test_expired_fact_leaves_the_profile_unless_requested(
    stack: Stack,
) -> None:
    old = await remember(stack, "happy", attribute="mood", since=0, lifetime_days=14)
    assert old.fact.state == fact_pb2.FACT_STATE_CONFIRMED
    request = profile.GetProfileRequest(subject="emi")
    request.valid_at_time.FromDatetime(datetime.now(UTC) + timedelta(days=12))
    [fading] = (await stack.fact_queries.GetProfile(request)).facts
    assert fading.weight < fading.confidence
    request.valid_at_time.FromDatetime(datetime.now(UTC) + timedelta(days=15))
    assert not (await stack.fact_queries.GetProfile(request)).facts
    request.include_expired = True
    assert [fact.value for fact in (await stack.fact_queries.GetProfile(request)).facts] == [
        "happy"
    ]


async def test_confirm_and_close_fact(stack: Stack) -> None:
    told = await remember(stack, "Berlin", hypothesis=True)
    assert told.fact.state == fact_pb2.FACT_STATE_SUSPECTED
    confirmed = await stack.facts.ConfirmFact(facts.ConfirmFactRequest(fact_id=told.fact.id))
    assert confirmed.fact.state == fact_pb2.FACT_STATE_CONFIRMED
    assert confirmed.fact.confidence > told.fact.confidence
    closed = await stack.facts.CloseFact(facts.CloseFactRequest(fact_id=told.fact.id))
    assert closed.fact.state == fact_pb2.FACT_STATE_CLOSED
    again = await stack.facts.CloseFact(facts.CloseFactRequest(fact_id=told.fact.id))
    assert again.fact.valid_until_time == closed.fact.valid_until_time
    assert await held(stack) == []
    assert await found(stack) == []
    too_early = facts.CloseFactRequest(fact_id=(await remember(stack, "Rome")).fact.id)
    too_early.valid_until_time.FromDatetime(day(0))
    assert (await refused(stack.facts.CloseFact(too_early))).reason == "VALIDATION_FAILED"


async def test_repeated_remember_request_writes_once(stack: Stack) -> None:
    first = await remember(stack, "Berlin", request_id="r")
    again = await remember(stack, "Berlin", request_id="r")
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.fact.id, again.fact.supporting) == (first.fact.id, 1)
    refusal = await refused(remember(stack, "Rome", request_id="r"))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "REQUEST_ID_CONFLICT",
    )


async def test_evidence_must_quote_an_existing_message(stack: Stack) -> None:
    stored = await append(stack, "I live in Berlin.")
    message_id = stored.messages[0].message_id
    quoted = fact_pb2.NewEvidence(message_id=message_id, quote="I moved to Rome")
    refusal = await refused(remember(stack, "Rome", evidence=[quoted]))
    assert refusal.reason == "VALIDATION_FAILED"
    nowhere = fact_pb2.NewEvidence(message_id=str(uuid4()))
    assert (await refused(remember(stack, "Rome", evidence=[nowhere]))).reason == "MEMORY_NOT_FOUND"
    assert await held(stack) == []
    quoted.quote = "live  in\nBerlin"
    for _ in range(2):
        told = await remember(stack, "Berlin", evidence=[quoted])
    assert told.fact.supporting == 1


async def test_fact_is_found_in_search_and_context_with_messages(stack: Stack) -> None:
    await append(stack, message("The heron is called Archibald.", author="emi"))
    told = await remember(stack, "Archibald the heron", attribute="pet")
    request = search.SearchRequest(query="heron Archibald", mode=search.SEARCH_MODE_LEXICAL)
    hits = (await stack.search.Search(request)).results
    assert {hit.memory.kind for hit in hits} == {
        memory_pb2.MEMORY_KIND_MESSAGE,
        memory_pb2.MEMORY_KIND_FACT,
    }
    fact = next(hit for hit in hits if hit.memory.kind == memory_pb2.MEMORY_KIND_FACT)
    assert fact.memory.id == told.fact.memory_id
    assert (fact.memory.subject, fact.memory.content) == ("emi", "Pet of emi: Archibald the heron")
    built = await stack.context.BuildContext(context.BuildContextRequest(query="heron Archibald"))
    assert "Pet of emi: Archibald the heron" in built.text
    value = "A long story. " * 4_000
    long = await remember(stack, value, attribute="note")
    read = await stack.search.GetMemory(search.GetMemoryRequest(memory_id=long.fact.memory_id))
    assert read.memory.content.endswith(value)
    assert long.fact.value == value


async def test_search_naming_a_subject_ranks_its_matching_message_first(stack: Stack) -> None:
    for attribute, value in (("name", "Tomasz"), ("child", "Zofia"), ("budget", "3.4 million")):
        await remember(stack, value, attribute=attribute, subject="tomasz")
    await append(stack, message("I'm allergic to shellfish by the way, remember that."))
    await append(stack, message("We moved the work on the bridge to next year."))
    ask = search.SearchRequest(query="What is Tomasz allergic to?")
    first = (await stack.search.Search(ask)).results[0].memory
    assert first.content.startswith("I'm allergic"), first.content
    ask.query = "Tomasz"
    assert len((await stack.search.Search(ask)).results) >= 3, "a name alone is asked for"


async def test_concurrent_writers_of_one_attribute_leave_one_value(stack: Stack) -> None:
    await asyncio.gather(*(remember(stack, f"City {n % 7}", since=n % 5) for n in range(20)))
    for at in range(5):
        assert len(await held(stack, at=at)) == 1


async def test_facts_are_listed_in_pages_and_by_filter(stack: Stack) -> None:
    for number in range(5):
        await remember(stack, f"v{number}", attribute="like", subject=f"s{number % 2}")
    request = profile.ListFactsRequest(page_size=2)
    listed: list[str] = []
    while True:
        page = await stack.fact_queries.ListFacts(request)
        listed += [fact.value for fact in page.facts]
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    assert listed == ["v0", "v1", "v2", "v3", "v4"]
    only = profile.ListFactsRequest(subjects=["s1"], attributes=["like"])
    assert [f.value for f in (await stack.fact_queries.ListFacts(only)).facts] == ["v1", "v3"]
    few = await stack.fact_queries.GetProfile(profile.GetProfileRequest(subject="s0", max_facts=1))
    assert (len(few.facts), few.omitted) == (1, 2)


@pytest.mark.parametrize("name", ["ExplainFact", "CorrectFact", "ConfirmFact", "CloseFact"])
async def test_unknown_fact_id_returns_fact_not_found(stack: Stack, name: str) -> None:
    service, module = (
        (stack.fact_queries, profile) if name == "ExplainFact" else (stack.facts, facts)
    )
    request = getattr(module, f"{name}Request")(fact_id=str(uuid4()))
    assert (await refused(getattr(service, name)(request))).reason == "FACT_NOT_FOUND"


def _stamp(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp

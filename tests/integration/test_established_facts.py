"""Established facts resist passing statements, at default settings and without a language model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as reads
from everword.v1 import fact_service_pb2 as writes
from support.calls import append_request, message, target
from support.learning import history_of, learn, told
from support.sleep_calls import pass_night, sleep
from support.stack import Stack

NOW = datetime.now(UTC)
#: Messages of a nurse, one every two months for two years.
NURSE = (
    "I work as a nurse, so my week is mostly nights; could you plan three dinners that survive a microwave?",
    "As I said, I work as a nurse and I need shoes that hold up on twelve hours of hospital floors.",
)


async def say(stack: Stack, subject: str, text: str, days_ago: float, session: str) -> None:
    stamp = Timestamp()
    stamp.FromDatetime(NOW - timedelta(days=days_ago))
    request = append_request(message(text, create_time=stamp), session_key=session)
    request.conversation.CopyFrom(target(session, subject=subject))
    await stack.ingest.AppendMessages(request)


async def establish(stack: Stack, subject: str) -> None:
    """Let a person mention a job twelve times in two years."""
    for number in range(12):
        session = f"{subject}-{number}"
        await say(stack, subject, NURSE[number % 2], 760 - number * 62, session)
    await learn(stack)
    [nurse] = await facts_of(stack, subject)
    assert (nurse.value, nurse.state) == ("nurse", fact_pb2.FACT_STATE_ESTABLISHED)
    assert nurse.supporting == 12


async def facts_of(stack: Stack, subject: str) -> list[fact_pb2.Fact]:
    response = await stack.fact_queries.GetProfile(reads.GetProfileRequest(subject=subject))
    return [fact for fact in response.facts if fact.attribute == "job"]


async def open_disputes(stack: Stack, subject: str) -> list[fact_pb2.FactDispute]:
    request = reads.ListDisputesRequest(subjects=[subject])
    return list((await stack.fact_queries.ListDisputes(request)).disputes)


async def mention_cooking(stack: Stack, subject: str, days_ago: float = 5) -> fact_pb2.Fact:
    """Mention another job in passing; return the established fact."""
    text = "I work as a cook. What would you charge for a party of twelve, with wine?"
    await say(stack, subject, text, days_ago, f"{subject}-cook-{days_ago}")
    await learn(stack)
    [job] = await facts_of(stack, subject)
    return job


async def test_passing_statement_disputes_established_fact_until_repeated(stack: Stack) -> None:
    await establish(stack, "emi")
    nurse = await mention_cooking(stack, "emi")
    assert (nurse.value, nurse.disputed) == ("nurse", True)
    [dispute] = await open_disputes(stack, "emi")
    assert (dispute.old_fact.value, dispute.old_fact.state) == (
        "nurse",
        fact_pb2.FACT_STATE_ESTABLISHED,
    )
    assert dispute.new_fact.state == fact_pb2.FACT_STATE_SUSPECTED
    explained = await stack.fact_queries.ExplainFact(reads.ExplainFactRequest(fact_id=nurse.id))
    assert [each.new_fact_id for each in explained.disputes] == [dispute.new_fact_id]
    # Nights before the 90 days are over decide nothing.
    await sleep(stack)
    assert len(await open_disputes(stack, "emi")) == 1
    # The same statement in another session is a change.
    changed = await mention_cooking(stack, "emi", 2)
    assert "cook" in changed.value
    assert not await open_disputes(stack, "emi")
    explained = await stack.fact_queries.ExplainFact(reads.ExplainFactRequest(fact_id=nurse.id))
    assert explained.fact.state == fact_pb2.FACT_STATE_CLOSED
    assert explained.disputes[0].outcome == fact_pb2.DISPUTE_OUTCOME_ACCEPT_NEW


async def test_explicit_change_ends_established_fact_at_once(stack: Stack) -> None:
    await establish(stack, "emi")
    await mention_cooking(stack, "emi")
    await say(stack, "emi", "I quit nursing last month, I'm a baker now.", 1, "change")
    await learn(stack)
    [job] = await facts_of(stack, "emi")
    assert job.value == "baker"
    assert not await open_disputes(stack, "emi")


async def test_old_dispute_is_decided_by_night_and_by_person(stack: Stack) -> None:
    for subject in ("emi", "bo"):
        await establish(stack, subject)
        await mention_cooking(stack, subject)
    # A person decides at once.
    [dispute] = await open_disputes(stack, "bo")
    await stack.facts.ConfirmFact(
        writes.ConfirmFactRequest(
            fact_id=dispute.new_fact_id, actor=fact_pb2.FACT_ACTOR_PERSON, reason="new job"
        )
    )
    assert [fact.value for fact in await facts_of(stack, "bo")] == [dispute.new_fact.value]
    assert not await open_disputes(stack, "bo")
    # After 90 days the rule decides for the value that was stated more often.
    await sleep(stack)
    pass_night(stack)
    await sleep(stack, now=NOW + timedelta(days=91))
    assert not await open_disputes(stack, "emi")
    assert (await told(stack))["job"] == {"nurse"}
    values = {fact.value: fact.state for fact in await history_of(stack, "job")}
    assert fact_pb2.FACT_STATE_REJECTED in values.values()
